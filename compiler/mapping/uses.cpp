#include "compiler/mapping/enumerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "archdsl/graph/components.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/opening.h"

namespace accord {

std::vector<Hop> way_between(const Machine& machine, int home, int memory, bool output) {
  const auto& architecture = machine.architecture;
  auto path = output ? machine.graph.path(memory, home) : machine.graph.path(home, memory);
  const bool usable = std::all_of(path.begin(), path.end(), [&](const Hop& hop) {
    const Route& route = architecture.units[hop.unit].routes[hop.route];
    const int on_the_way = output ? route.source : route.target;
    return machine.limits.route(hop.unit, hop.route) != nullptr && !architecture.memories[on_the_way].off_chip;
  });
  if (!usable) path.clear();
  return path;
}

/// How far from off-chip memory the accumulator lies.
int Enumerator::accumulator_depth(int memory) const {
  const auto& memories = machine_.architecture.memories;
  std::size_t depth = SIZE_MAX;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].off_chip) continue;
    for (const auto& path :
         {machine_.graph.path(static_cast<int>(m), memory), machine_.graph.path(memory, static_cast<int>(m))}) {
      if (!path.empty()) depth = std::min(depth, path.size());
    }
  }
  return depth == SIZE_MAX ? 1 : static_cast<int>(depth);
}

/// Memories that the use's tensor may live in: the one that keeps it on chip, else the first off chip; constants may
/// lie in any of them.
std::vector<int> Enumerator::homes_of(const Use& use) const {
  const TensorId tensor = use.filled || use.access.operand < 0 ? no_tensor : work_.operands[use.access.operand].tensor;
  if (tensor != no_tensor && homes_[tensor].memory >= 0) return {homes_[tensor].memory};
  std::vector<int> homes;
  for (std::size_t m = 0; m < machine_.architecture.memories.size(); ++m) {
    if (machine_.architecture.memories[m].off_chip) homes.push_back(static_cast<int>(m));
  }
  if (tensor != no_tensor && !network_.tensors[tensor].is_constant()) homes.resize(1);
  return homes;
}

/// The shortest way between the tensor's home and the capability's memory, in the data's direction; false: none.
bool Enumerator::find_way(Use& use) const {
  const auto homes = homes_of(use);
  if (std::find(homes.begin(), homes.end(), use.memory) != homes.end()) {
    use.home = use.memory;
    return true;
  }
  for (const int home : homes) {
    const auto path = way_between(machine_, home, use.memory, use.role == UseRole::output);
    if (path.empty()) continue;
    use.home = home;
    use.hops = path;
    use.depth = static_cast<int>(path.size());
    return true;
  }
  return false;
}

/// Why the use has no way.
std::string Enumerator::no_way(const Use& use) const {
  const auto& memories = machine_.architecture.memories;
  const Memory& home = memories[homes_of(use).front()];
  return fmt::format("no way between {} and {}", home.off_chip ? "off-chip memory" : home.name,
                     memories[use.memory].name);
}

std::string Enumerator::name_of(const StatementPlan& step) const {
  return fmt::format("{}.{}", without_indices(machine_.architecture.units[step.match.unit].name),
                     machine_.capability(step.match).name);
}

/// That sums lie in two memories, and what keeps the steps from being layers of their own.
std::string Enumerator::sums_apart(const Mapping& mapping, const Use& before, const Use& after) const {
  const auto& memories = machine_.architecture.memories;
  std::string from = without_indices(memories[before.memory].name);
  std::string to = without_indices(memories[after.memory].name);
  if (from == to) {
    from = memories[before.memory].name;
    to = memories[after.memory].name;
  }
  std::string text = fmt::format("{} keeps the intermediate result in {}, {} in {}",
                                 name_of(mapping.steps[before.step]), from, name_of(mapping.steps[after.step]), to);
  const auto off_chip = std::ranges::find_if(memories, &Memory::off_chip);
  if (off_chip == memories.end()) return text;
  const auto home = static_cast<int>(off_chip - memories.begin());
  const auto lacks_way = [&](int memory, bool leaves) {
    return memory != home && way_between(machine_, home, memory, leaves).empty();
  };
  std::vector<std::string> lacking;
  if (lacks_way(before.memory, true)) lacking.push_back(fmt::format("from {} to {}", from, off_chip->name));
  if (lacks_way(after.memory, false)) lacking.push_back(fmt::format("from {} to {}", off_chip->name, to));
  if (lacking.empty()) return text;
  return fmt::format("{}; apart, it would need instructions that move it {}", text, fmt::join(lacking, " and "));
}

std::string Enumerator::sums_off_chip(const Mapping& mapping, const Use& use) const {
  return fmt::format("{} keeps the intermediate result in {}, off chip", name_of(mapping.steps[use.step]),
                     machine_.architecture.memories[use.memory].name);
}

/// Indices beyond the constant's own make its tile repeat along the dims that the capability steps it through.
void Enumerator::repeat_along_dims(const StatementPlan& plan, int operand, Access& access) const {
  const Access& pattern = access_of(machine_.capability(plan.match), operand);
  for (std::size_t d = 0; d < plan.chains.size(); ++d) {
    if (!depends(pattern, static_cast<int>(d))) continue;
    for (const int it : plan.chains[d]) {
      if (!depends(access, it)) access.indices.push_back({{{it, 1}}, 0});
    }
  }
}

bool Enumerator::add_use(Mapping& mapping, int step, int operand) {
  const StatementPlan& plan = mapping.steps[step];
  const Capability& capability = machine_.capability(plan.match);
  const OperandMatch& match = plan.match.operands[operand];
  Use use;
  use.step = step;
  use.operand = operand;
  use.type = capability.program.operands[operand].type;
  use.memory = capability.operands[operand].memory;
  if (match.kind == OperandMatch::Kind::constant) {
    use.filled = true;
    use.fill = match.constant;
    use.role = UseRole::input;
  } else {
    use.access = match.access;
    if (work_.operands[match.access.operand].constant) repeat_along_dims(plan, operand, use.access);
    const Statement& main = statement(roles_.main);
    const Statement& last = work_.program.statements.back();
    const bool is_accumulator = match.access.operand == main.target.operand && !roles_.after.empty() &&
                                last.target.operand != main.target.operand;
    const bool is_target = operand == capability.program.statements.back().target.operand;
    use.role = is_accumulator ? UseRole::accumulator : is_target ? UseRole::output : UseRole::input;
    const bool starts = step == starting_step(mapping);
    if ((!is_target || starts) && match.access.operand == main.target.operand) use.role = UseRole::accumulator;
    if (starts && use.role == UseRole::accumulator) {
      use.depth = mapping.uses[target_use(mapping)].depth;
      mapping.uses.push_back(std::move(use));
      return true;
    }
  }
  if (use.role == UseRole::accumulator) {
    const auto elsewhere = std::ranges::find_if(mapping.uses, [&](const Use& other) {
      return other.role == UseRole::accumulator && other.memory != use.memory;
    });
    if (elsewhere != mapping.uses.end() || machine_.architecture.memories[use.memory].off_chip) {
      reason(elsewhere != mapping.uses.end() ? sums_apart(mapping, *elsewhere, use) : sums_off_chip(mapping, use));
      return false;
    }
    use.depth = accumulator_depth(use.memory);
  } else if (use.role == UseRole::output && std::ranges::any_of(mapping.uses, [&](const Use& other) {
               return other.role == UseRole::output && other.access.operand == use.access.operand;
             })) {
    reason("several statements would add to what leaves the chip, each to a tile of its own");
    return false;
  } else if (!use.filled && work_.operands[use.access.operand].tensor == no_tensor) {
    reason(fmt::format("`{}` is an intermediate result beside that of {}, and one alone stays on chip",
                       work_.program.operands[use.access.operand].name,
                       machine_.capability(mapping.steps[0].match).name));
    return false;
  } else if (!find_way(use)) {
    reason(no_way(use));
    return false;
  }
  if (use.depth == 0 && use.role == UseRole::input && !lies_as_read(use)) {
    reason(fmt::format("{} would read `{}` from off-chip memory, where no tile repeats or converts what is constant",
                       capability.name, capability.program.operands[operand].name));
    return false;
  }
  mapping.uses.push_back(std::move(use));
  return true;
}

/// Whether what a unit reads from off-chip memory itself can be a tensor's home: all of a type, an index for an index.
bool Enumerator::lies_as_read(const Use& use) const {
  if (use.filled) return false;
  const TensorId tensor = work_.operands[use.access.operand].tensor;
  if (tensor == no_tensor || !network_.tensors[tensor].is_constant()) return true;
  const Tensor& constant = network_.tensors[tensor];
  return use.type == constant.type && use.access.indices.size() == constant.shape.size();
}

/// Whether one transfer brings a value to several places.
bool repeats_values(const Architecture& architecture, const Hop& hop) {
  const auto& walk = architecture.units[hop.unit].routes[hop.route].walk;
  return std::any_of(walk.begin() + 1, walk.end(),
                     [](const WalkDim& dim) { return dim.source.kind == Step::Kind::free || dim.source.bytes == 0; });
}

/// Indices beyond the values' own make their tile repeat along the accumulator's lanes, which lie within a word: lanes
/// that count several iterators as one are copied only between tiles that count the same.
void Enumerator::repeat_along_lanes(const StatementPlan& plan, Use& use) const {
  const Capability& capability = machine_.capability(plan.match);
  const Access& target = access_of(capability, use.operand);
  const auto& steps = capability.operands[use.operand].steps;
  const auto is_fixed = [](const Step& step) { return step.kind == Step::Kind::fixed; };
  const bool all_free = std::ranges::none_of(steps, is_fixed);  // then the last index is laid innermost (make_layout)
  const bool repeats = use.hops.empty() || repeats_values(machine_.architecture, use.hops.back());
  for (std::size_t p = 0; p < target.indices.size(); ++p) {
    const bool wired = is_fixed(steps[p]) && steps[p].bytes < machine_.architecture.memories[use.memory].word;
    if (!wired && !(all_free && p + 1 == target.indices.size())) continue;
    for (const auto& [dim, coefficient] : target.indices[p].terms) {
      const auto& chain = plan.chains[dim];
      const auto varies = [&](int it) { return depends(use.access, it); };
      const bool one = !use.filled && std::none_of(chain.begin(), chain.end(), varies);
      if (one && repeats) continue;  // else each lane would be a transfer
      for (const int it : chain) {
        if (!varies(it)) use.access.indices.push_back({{{it, 1}}, 0});
      }
    }
  }
}

/// What brings initial values, a constant along the accumulator's lanes, as far as the main step says; without a way.
Use Enumerator::start_use(const StatementPlan& main) const {
  const Statement& start = statement(roles_.start);
  const Capability& capability = machine_.capability(main.match);
  Use use;
  use.role = UseRole::start;
  use.step = 0;
  use.operand = capability.program.statements.back().target.operand;
  use.type = capability.program.operands[use.operand].type;
  use.memory = capability.operands[use.operand].memory;
  if (const auto value = constant_of(*start.value)) {
    use.filled = true;
    use.fill = *value;
  } else {
    use.access = start.accesses.at(0);
  }
  return use;
}

/// Whether sums begin with what the main capability does not set itself, nor the one that opens them.
bool Enumerator::wants_start(const Mapping& mapping) const {
  const StatementPlan& main = mapping.steps[0];
  return roles_.start >= 0 && !main.match.initialises && main.opening < 0;
}

/// Whether the instruction reads nothing: it sets a number.
bool Enumerator::sets_number(const Match& match) const {
  const auto& operands = machine_.capability(match).operands;
  return std::ranges::count_if(operands, [](const auto& operand) { return operand.memory >= 0; }) == 1;
}

/// The mapping with each way in which its sums begin: by a capability that does their first instructions, which nothing
/// else beats that does them as well; by a transfer; by a step of instructions where none reaches the sums, or where it
/// is a number that they set.
Blame Enumerator::add_begun(const Mapping& mapping) {
  bool some = false;
  Blame blame = blamed(0);
  const auto tried = [&](const Mapping& begun) {
    const Blame of_it = add_padded(begun);
    some |= of_it == nobody;
    blame |= of_it;
    return of_it == nobody;
  };
  for (const int opening : openings_) {
    Mapping begun = mapping;
    begun.steps.front().opening = opening;
    if (tried(begun) && opens_as_well(machine_, work_, begun.steps.front())) return nobody;
  }
  std::optional<Use> start;  // that a transfer or a step may bring
  if (wants_start(mapping)) start = start_use(mapping.steps[0]);
  const bool may_come = start && !machine_.architecture.memories[start->memory].off_chip;
  const bool comes = may_come && find_way(*start);
  const bool began = some;
  if (!may_come || comes) tried(mapping);
  if (may_come) {
    const std::vector<StatementPlan> steps = beginning_steps(mapping, comes);
    if (!comes && !began && steps.empty()) no_beginning(*start);
    for (const StatementPlan& step : steps) {
      Mapping begun = mapping;
      begun.steps.push_back(step);
      if (tried(begun)) break;
    }
  }
  return some ? nobody : blame;
}

/// What sets the sums where the main capability leaves them, the quickest first; only a number where a transfer comes
/// there, too.
std::vector<StatementPlan> Enumerator::beginning_steps(const Mapping& mapping, bool comes) {
  const auto& matches = matches_of(roles_.start).found;
  if (comes && std::ranges::none_of(matches, [&](const Match& match) { return sets_number(match); })) return {};
  std::vector<StatementPlan> steps = element_wise(mapping, roles_.start);
  std::erase_if(steps, [&](const StatementPlan& step) {
    return !reaches_accumulator(mapping, step.match) || (comes && !sets_number(step.match));
  });
  return steps;
}

void Enumerator::no_beginning(const Use& use) {
  std::vector<std::string> why = texts_of(matches_of(roles_.start).rejections);
  for (const Match& match : matches_of(roles_.start).found) {
    const Unit& unit = machine_.architecture.units[match.unit];
    const std::string name = unit.name + "." + unit.capabilities[match.capability].name;
    const bool driven = machine_.limits.run(match.unit, match.capability) != nullptr;
    why.push_back(name + (driven ? " does not reach the sums as they lie" : " has no instruction"));
  }
  reason(fmt::format("{}, and no capability sets what sums begin with there{} ({})", no_way(use),
                     use.filled ? "" : ", or adds it to them at the end", fmt::join(why, "; ")));
}

bool Enumerator::add_start(Mapping& mapping) {
  if (!wants_start(mapping)) return true;
  const std::string& capability = machine_.capability(mapping.steps[0].match).name;
  Use use = start_use(mapping.steps[0]);
  if (machine_.architecture.memories[use.memory].off_chip) {
    reason(fmt::format("{} accumulates in off-chip memory, which holds no initial values", capability));
    return false;
  }
  if (starting_step(mapping) < 0) {
    const TensorId tensor = use.filled ? no_tensor : work_.operands[use.access.operand].tensor;
    if (!use.filled && (tensor == no_tensor || !network_.tensors[tensor].is_constant())) {
      reason("initial values are not constant");
      return false;
    }
    if (!find_way(use)) {
      reason(no_way(use));
      return false;
    }
    repeat_along_lanes(mapping.steps[0], use);
    mapping.uses.push_back(std::move(use));
  }
  if (!starts_in_home(mapping)) return true;
  reason(fmt::format("{} accumulates where the result is kept, which holds no initial values", capability));
  return false;
}

Blame Enumerator::add_uses(Mapping& mapping) {
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    const Capability& capability = machine_.capability(mapping.steps[s].match);
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      if (capability.operands[o].memory < 0 || add_use(mapping, static_cast<int>(s), static_cast<int>(o))) continue;
      Blame blame = blamed(0) | blamed(s);
      for (const Use& use : mapping.uses) {
        if (use.role == UseRole::output) blame |= blamed(static_cast<std::size_t>(use.step));
      }
      return blame;
    }
  }
  const bool carries = leaves_in_place(machine_.capability(mapping.steps[0].match));
  return (carries ? add_carried(mapping) : add_start(mapping)) ? nobody : blamed(0);
}

}  // namespace accord
