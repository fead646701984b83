#include "compiler/mapping/longer_ways.h"

#include <algorithm>
#include <set>

#include "compiler/mapping/shared_reads.h"

namespace accord {
namespace {

constexpr std::size_t most_memories = 2;

int end_of(const Machine& machine, const Hop& hop) {
  return machine.architecture.units[hop.unit].routes[hop.route].target;
}

/// From `home` through `through` to `memory`; empty where no way leads there, or one comes to the same memory twice.
std::vector<Hop> way_through(const Machine& machine, int home, int through, int memory) {
  std::vector<Hop> way = way_between(machine, home, through, false);
  const std::vector<Hop> rest = way_between(machine, through, memory, false);
  if (way.empty() || rest.empty()) return {};
  way.insert(way.end(), rest.begin(), rest.end());
  std::set<int> seen = {home};
  for (const Hop& hop : way) {
    if (!seen.insert(end_of(machine, hop)).second) return {};
  }
  return way;
}

/// Where the accumulator lies no deeper than the way that its results take, it moves with the inputs' ways.
void deepen_accumulator(const Machine& machine, Use& use, int home, int memory) {
  const std::size_t in = way_through(machine, home, memory, use.memory).size();
  const std::size_t out = way_between(machine, home, use.memory, true).size();
  if (in > 0) use.depth = static_cast<int>(out > 0 ? std::min(in, out) : in);
}

bool comes_from_home(const Use& use) {
  return (use.role == UseRole::input || use.role == UseRole::start) && use.depth > 0;
}

}  // namespace

LongerWays::LongerWays(const Machine& machine) : machine_(machine) {
  const auto& memories = machine.architecture.memories;
  for (int m = 0; m < std::ssize(memories); ++m) {
    if (!memories[m].off_chip) memories_.push_back(m);
  }
  std::ranges::stable_sort(memories_, [&](int a, int b) { return memories[a].capacity > memories[b].capacity; });
}

const std::vector<LongerWays::Way>& LongerWays::ways(int home, int memory) {
  const auto [entry, fresh] = known_.try_emplace({home, memory});
  if (!fresh) return entry->second;
  const auto& memories = machine_.architecture.memories;
  const std::vector<Hop> shortest = way_between(machine_, home, memory, false);
  for (const int through : memories_) {
    if (memories[through].capacity <= memories[memory].capacity) break;
    // One that is like a memory of the shortest way leads nowhere that this does not; often it is another element's.
    const auto leads_there = [&](const Hop& hop) {
      return machine_.elements.are_alike(end_of(machine_, hop), through);
    };
    if (through == home || std::ranges::any_of(shortest, leads_there)) continue;
    auto hops = way_through(machine_, home, through, memory);
    if (!hops.empty()) entry->second.push_back({through, std::move(hops)});
  }
  return entry->second;
}

const LongerWays::Way* LongerWays::way(const Use& use, int through) {
  if (!comes_from_home(use)) return nullptr;
  const auto& all = ways(use.home, use.memory);
  const auto found = std::ranges::find(all, through, &Way::through);
  return found == all.end() ? nullptr : &*found;
}

std::optional<Mapping> LongerWays::on_way(const Mapping& assignment, int memory) {
  Mapping result = assignment;
  int home = -1;  // of an input whose way is longer now
  for (Use& use : result.uses) {
    const Way* longer = way(use, memory);
    if (longer == nullptr) continue;
    use.hops = longer->hops;
    use.depth = static_cast<int>(use.hops.size());
    home = use.home;
    result.levels = std::max(result.levels, use.depth);
  }
  for (Use& use : result.uses) {
    if (use.role == UseRole::accumulator) deepen_accumulator(machine_, use, home, memory);
  }
  begin_in_target(result);
  result.detour = memory;
  if (misled(machine_, result)) return std::nullopt;
  return result;
}

std::vector<Mapping> LongerWays::of(const Mapping& assignment) {
  std::set<int> through;
  for (const Use& use : assignment.uses) {
    if (!comes_from_home(use)) continue;
    for (const Way& longer : ways(use.home, use.memory)) through.insert(longer.through);
  }
  std::vector<Mapping> result;
  if (through.empty()) return result;
  for (const int memory : memories_) {
    if (!through.contains(memory)) continue;
    if (auto found = on_way(assignment, memory)) result.push_back(*std::move(found));
    if (result.size() == most_memories) break;
  }
  return result;
}

}  // namespace accord
