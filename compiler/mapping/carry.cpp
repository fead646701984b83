#include <algorithm>

#include "compiler/mapping/carriers.h"
#include "compiler/mapping/enumerator.h"

namespace accord {
namespace {

/// What the statement moves without changing it; null: it does something to it.
const Access* moved_by(const Work& work, const Statement& statement) {
  const bool moves =
      statement.reduction == Reduction::assign && statement.value->op == ExprOp::access && !looks_up(statement);
  if (!moves) return nullptr;
  const Access& source = statement.accesses[statement.value->access];
  const auto type = [&](const Access& access) { return work.program.operands[access.operand].type; };
  return type(source) == type(statement.target) && !work.operands[source.operand].constant ? &source : nullptr;
}

}  // namespace

/// The assignments of work that only moves: transfers bring each tile of the result to a memory, as initial values that
/// nothing is added to, and others take it from there.
void Enumerator::visit_carriers() {
  const Statement& main = statement(roles_.main);
  if (roles_.start >= 0 || !roles_.after.empty() || moved_by(work_, main) == nullptr) return;
  const auto& units = machine_.architecture.units;
  std::set<std::pair<int, int>> covered;
  bool carriers = false;
  for (int u = 0; u < std::ssize(units); ++u) {
    for (int c = 0; c < std::ssize(units[u].capabilities); ++c) {
      const Capability& capability = units[u].capabilities[c];
      if (!leaves_in_place(capability)) continue;
      carriers = true;
      const ElementType type = capability.program.operands[0].type;
      if (type != work_.program.operands[main.target.operand].type || covered.contains({u, c})) continue;
      Match match;
      match.unit = u;
      match.capability = c;
      match.operands = {{OperandMatch::Kind::access, main.target, 0}};
      const std::size_t before = found_.size();
      carry(match);
      if (found_.size() == before) continue;
      for (const auto& other : machine_.elements.alike(u, c)) covered.insert(other);
    }
  }
  if (!carriers) reason("no memory on chip is reached from off-chip memory and left to it");
}

/// Whether some of the elements that lie side by side in one tensor's home do so in the other's.
bool Enumerator::moves_runs(const Access& source, const Access& target) const {
  const auto steps_by_one = [&](const Access& access, int it) {
    return access_step(homes_[work_.operands[access.operand].tensor].strides, access, it) ==
           bytes(work_.program.operands[access.operand].type);
  };
  const auto& iterators = work_.program.iterators;
  bool several = false;
  for (int it = 0; it < std::ssize(iterators); ++it) {
    if (iterators[it].extent == 1) continue;
    if (steps_by_one(source, it) && steps_by_one(target, it)) return true;
    several = true;
  }
  return !several;
}

/// The result's innermost index is the lanes.
void Enumerator::carry(const Match& match) {
  const Access& target = match.operands[0].access;
  const TensorId tensor = work_.operands[target.operand].tensor;
  if (tensor == no_tensor || homes_[tensor].order.empty()) return;
  if (!moves_runs(*moved_by(work_, statement(roles_.main)), target)) {
    reason(
        "transfers would carry it element by element, for what lies side by side in one tensor does not in the other");
    return;
  }
  const AffineIndex& innermost = target.indices[homes_[tensor].order.back()];
  std::vector<std::vector<int>> chains(machine_.capability(match).dims.size());
  for (const int it : iterators_of(statement(roles_.main))) {
    if (work_.program.iterators[it].extent == 1 || !depends(target, it)) continue;
    const bool lane = std::ranges::any_of(innermost.terms, [&](const auto& term) { return term.first == it; });
    if (lane) chains.front().push_back(it);
  }
  complete(match, std::move(chains));
}

/// The tile's elements come from where the work reads them.
bool Enumerator::add_carried(Mapping& mapping) {
  const Capability& capability = machine_.capability(mapping.steps[0].match);
  Use use;
  use.role = UseRole::start;
  use.step = 0;
  use.operand = 0;
  use.type = capability.program.operands[0].type;
  use.memory = capability.operands[0].memory;
  use.access = *moved_by(work_, statement(roles_.main));
  if (!find_way(use)) {
    reason(no_way(use));
    return false;
  }
  mapping.uses.push_back(std::move(use));
  const auto is_near = [&](const Use& end) {
    return end.depth == 1 && machine_.architecture.memories[end.home].off_chip;
  };
  if (std::ranges::all_of(mapping.uses, is_near)) return true;
  reason("what only moves is carried between tensors off chip, through a memory next to it");
  return false;
}

}  // namespace accord
