#include "compiler/mapping/longer_ways.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/mapping/shared_reads.h"

namespace accord {
namespace {

constexpr std::size_t most_memories = 2;

/// From `home` through `through` to `memory`; empty where no way leads there, or one comes to the same memory twice.
std::vector<Hop> way_through(const Machine& machine, int home, int through, int memory) {
  std::vector<Hop> way = way_between(machine, home, through, false);
  const std::vector<Hop> rest = way_between(machine, through, memory, false);
  if (way.empty() || rest.empty()) return {};
  way.insert(way.end(), rest.begin(), rest.end());
  std::set<int> seen = {home};
  for (const Hop& hop : way) {
    if (!seen.insert(machine.architecture.units[hop.unit].routes[hop.route].target).second) return {};
  }
  return way;
}

bool passes(const Machine& machine, const Use& use, int memory) {
  return use.memory == memory || std::ranges::any_of(use.hops, [&](const Hop& hop) {
           return machine.architecture.units[hop.unit].routes[hop.route].target == memory;
         });
}

/// Where the accumulator lies no deeper than the way that its results take, it moves with the inputs' ways.
void deepen_accumulator(const Machine& machine, Use& use, int home, int memory) {
  const std::size_t in = way_through(machine, home, memory, use.memory).size();
  const std::size_t out = way_between(machine, home, use.memory, true).size();
  if (in > 0) use.depth = static_cast<int>(out > 0 ? std::min(in, out) : in);
}

std::optional<Mapping> through(const Machine& machine, const Mapping& mapping, int memory) {
  const auto& memories = machine.architecture.memories;
  Mapping result = mapping;
  int home = -1;  // of an input whose way is longer now
  for (Use& use : result.uses) {
    const bool comes = use.role == UseRole::input || use.role == UseRole::start;
    if (!comes || use.depth == 0 || passes(machine, use, memory)) continue;
    if (use.home == memory || memories[memory].capacity <= memories[use.memory].capacity) continue;
    auto way = way_through(machine, use.home, memory, use.memory);
    if (way.empty()) continue;
    use.hops = std::move(way);
    use.depth = static_cast<int>(use.hops.size());
    home = use.home;
    result.levels = std::max(result.levels, use.depth);
  }
  if (home < 0) return std::nullopt;
  for (Use& use : result.uses) {
    if (use.role == UseRole::accumulator) deepen_accumulator(machine, use, home, memory);
  }
  result.detour = memory;
  if (misled(machine, result)) return std::nullopt;
  return result;
}

}  // namespace

std::vector<Mapping> on_longer_ways(const Machine& machine, const Mapping& mapping) {
  const auto& memories = machine.architecture.memories;
  std::vector<int> order;
  for (int m = 0; m < std::ssize(memories); ++m) {
    if (!memories[m].off_chip) order.push_back(m);
  }
  std::ranges::stable_sort(order, [&](int a, int b) { return memories[a].capacity > memories[b].capacity; });
  std::vector<Mapping> result;
  for (const int memory : order) {
    if (auto found = through(machine, mapping, memory)) result.push_back(*std::move(found));
    if (result.size() == most_memories) break;
  }
  return result;
}

}  // namespace accord
