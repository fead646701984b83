#include "compiler/mapping/passages.h"

#include <algorithm>
#include <map>

#include "compiler/mapping/compulsory.h"

namespace accord {

PassageFinder::PassageFinder(const Machine& machine, const Network& network, const Work& work)
    : machine_(machine), network_(network), work_(work), distinct_(work.operands.size(), -1) {}

/// Once for each operand: assignments differ in much, not in these.
std::int64_t PassageFinder::bytes_of(int operand) const {
  std::int64_t& bytes = distinct_[operand];
  if (bytes < 0) bytes = distinct_bytes(network_, work_, operand);
  return bytes;
}

/// A constant comes with what pads it to the capabilities' dims: the unit reads that, too. Forms of the work have
/// iterators of their own.
std::int64_t PassageFinder::padded_bytes(const Mapping& assignment, const Use& use) const {
  const int operand = use.access.operand;
  if (!work_.operands[operand].constant || assignment.form != nullptr) return 0;
  std::int64_t count = bytes(network_.tensors[work_.operands[operand].tensor].type);
  for (std::size_t it = 0; it < assignment.extent.size(); ++it) {
    const auto counts = [&](const Access& access) {
      return access.operand == operand && depends(access, static_cast<int>(it));
    };
    const bool counted = std::ranges::any_of(work_.program.statements, [&](const Statement& statement) {
      return std::ranges::any_of(statement.accesses, counts);
    });
    if (counted) count *= assignment.extent[it];
  }
  return count;
}

/// An operand may lie off chip in the tensor's type; a constant's image in any.
void PassageFinder::add_site(Passage& passage, const Use& use, const Site& site, std::size_t number) const {
  if (use.depth == 0) {
    passage.units[site.steps[use.step].first] = true;
    return;
  }
  const int memory = site.uses[number].memory;
  const WorkOperand& operand = work_.operands[use.access.operand];
  const ElementType type = network_.tensors[operand.tensor].type;
  if (use.role == UseRole::output) {
    passage.leaves = true;
    for (const int target : machine_.spread.targets(memory, use.type, type)) passage.targets[target] = true;
    return;
  }
  passage.sources[memory] = true;
  for (const int source : operand.constant ? machine_.spread.sources_in_any_type(memory, use.type)
                                           : machine_.spread.sources(type, memory, use.type)) {
    passage.sources[source] = true;
  }
}

std::vector<Passage> PassageFinder::of(const Mapping& assignment) const {
  const Architecture& architecture = machine_.architecture;
  const std::size_t memories = architecture.memories.size();
  const auto& sites = machine_.elements.sites(assignment);
  std::map<int, Passage> by_operand;
  for (std::size_t u = 0; u < assignment.uses.size(); ++u) {
    const Use& use = assignment.uses[u];
    const int operand = use.access.operand;
    if (use.filled || use.role == UseRole::accumulator || operand < 0) continue;
    if (work_.operands[operand].tensor == no_tensor || !off_chip(use.home)) continue;
    const std::int64_t needed = std::max(bytes_of(operand), padded_bytes(assignment, use));
    const auto [at, fresh] = by_operand.try_emplace(operand);
    Passage& passage = at->second;
    passage.bytes = fresh ? needed : std::min(passage.bytes, needed);
    passage.units.resize(architecture.units.size());
    passage.sources.resize(memories);
    passage.targets.resize(memories);
    for (const Site& site : sites) add_site(passage, use, site, u);
  }
  std::vector<Passage> passages;
  std::map<TensorId, std::size_t> known;
  for (auto& [operand, passage] : by_operand) {
    const auto [at, fresh] = known.try_emplace(work_.operands[operand].tensor, passages.size());
    if (fresh)
      passages.push_back(std::move(passage));
    else
      passages[at->second].join(passage);
  }
  return passages;
}

}  // namespace accord
