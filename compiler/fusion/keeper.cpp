#include "compiler/fusion/keeper.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "compiler/mapping/address_units.h"

namespace accord {
namespace {

/// What it takes a mapping to reach the tensor in a memory.
struct Reach {
  std::size_t hops = 0;
  std::int64_t unit = 1;
};

std::optional<Reach> reach_of(const Machine& machine, const Work& work, TensorId tensor, const Mapping& mapping,
                              int memory) {
  Reach reach;
  Mapping there = mapping;
  for (auto& use : there.uses) {
    if (use.filled || use.role == UseRole::accumulator || use.access.operand < 0) continue;
    if (work.operands[use.access.operand].tensor != tensor) continue;
    use.hops.clear();
    if (use.memory != memory) {
      use.hops = way_between(machine, memory, use.memory, use.role == UseRole::output);
      if (use.hops.empty()) return std::nullopt;
    }
    use.depth = static_cast<int>(use.hops.size());
    reach.hops += use.hops.size();
    reach.unit = std::lcm(reach.unit, home_unit(machine, there, use));
  }
  if (starts_in_home(there)) return std::nullopt;
  return reach;
}

std::optional<Reach> reach_of(const Machine& machine, TensorId tensor, const TensorUser& user, int memory) {
  for (const auto& mapping : *user.assignments) {
    if (const auto reach = reach_of(machine, *user.work, tensor, mapping, memory)) return reach;
  }
  return std::nullopt;
}

bool can_fill(const Machine& machine, int memory) {
  const auto& memories = machine.architecture.memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (memories[m].off_chip && way_between(machine, static_cast<int>(m), memory, false).size() == 1) return true;
  }
  return false;
}

}  // namespace

bool reaches(const Machine& machine, const Work& work, TensorId tensor, const Mapping& mapping, int memory) {
  return reach_of(machine, work, tensor, mapping, memory).has_value();
}

Keeper keeper_of(const Machine& machine, TensorId tensor, const std::vector<TensorUser>& users, bool margin) {
  const auto& memories = machine.architecture.memories;
  Keeper best;
  std::size_t least = SIZE_MAX;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const int memory = static_cast<int>(m);
    if (memories[m].off_chip || (margin && !can_fill(machine, memory))) continue;
    Reach all;
    bool reached = true;
    for (const auto& user : users) {
      const auto reach = reach_of(machine, tensor, user, memory);
      reached = reached && reach.has_value();
      if (!reached) break;
      all = {all.hops + reach->hops, std::lcm(all.unit, reach->unit)};
    }
    if (!reached) continue;
    const bool larger = all.hops == least && memories[m].capacity > memories[best.memory].capacity;
    if (all.hops > least || (all.hops == least && !larger)) continue;
    least = all.hops;
    best = {memory, all.unit};
  }
  return best;
}

}  // namespace accord
