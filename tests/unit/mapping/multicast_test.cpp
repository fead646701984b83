// Which transfers of several elements does one multicast stand for?
#include "compiler/mapping/multicast.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "compiler/mapping/candidates.h"
#include "tests/bus_cores.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

constexpr std::uint64_t multicast_seed = 91;

const Route& route_of(const Architecture& architecture, const Hop& hop) {
  return architecture.units[hop.unit].routes[hop.route];
}

/// The elements' own transfers from off-chip memory into their memory of that name.
std::vector<Hop> own_transfers(const Architecture& architecture, const std::string& memory) {
  std::vector<Hop> hops;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const auto& routes = architecture.units[u].routes;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const bool into = architecture.memories[routes[r].target].name.ends_with("." + memory);
      if (into && routes[r].also.empty() && architecture.memories[routes[r].source].off_chip)
        hops.push_back({static_cast<int>(u), static_cast<int>(r)});
    }
  }
  return hops;
}

std::set<int> targets_of(const Architecture& architecture, const Hop& hop) {
  const Route& route = route_of(architecture, hop);
  std::set<int> targets(route.also.begin(), route.also.end());
  targets.insert(route.target);
  return targets;
}

std::vector<Way> ways_of(const Architecture& architecture, const std::vector<Hop>& hops) {
  std::vector<Way> ways;
  for (const Hop& hop : hops) ways.push_back({hop, route_of(architecture, hop).target});
  return ways;
}

/// Ways into the cores' memories of that name by multicasts, by core.
std::vector<Way> only_multicasts(const Machine& machine, const std::string& memory) {
  const Architecture& architecture = machine.architecture;
  std::vector<Way> ways;
  for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
    const int target = static_cast<int>(m);
    if (!architecture.memories[m].name.ends_with("." + memory)) continue;
    for (std::size_t u = 0; u < architecture.units.size(); ++u) {
      if (architecture.units[u].routes.empty()) continue;
      const Hop hop = {static_cast<int>(u), 0};
      if (targets_of(architecture, hop).contains(target)) ways.push_back({hop, target});
      if (!ways.empty() && ways.back().memory == target) break;
    }
  }
  return ways;
}

}  // namespace

TEST_CASE("do rows and columns of a mesh take one transfer, all of it one for each row") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  for (const char* const memory : {"inputs", "weights", "sums", "scales"}) {
    CAPTURE(std::string(memory));
    const auto all = own_transfers(architecture, memory);
    REQUIRE(all.size() == 16);
    const auto groups = [&](const std::vector<std::size_t>& elements) {
      std::vector<Hop> hops;
      for (const std::size_t e : elements) hops.push_back(all[e]);
      return machine.multicasts.cover(ways_of(architecture, hops), {})->size();
    };
    CHECK(groups({4, 5, 6, 7}) == 1);
    CHECK(groups({1, 5, 9, 13}) == 1);
    CHECK(groups({0, 1, 2, 3, 7, 11, 15}) == 4);
    CHECK(groups({0, 5, 10, 15}) == 4);
    CHECK(machine.multicasts.cover(ways_of(architecture, all), {})->size() == 4);
  }
}

TEST_CASE("does every element get its bytes once, and none that holds others any") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto all = own_transfers(architecture, "inputs");
  test::Draw draw(multicast_seed);
  for (int i = 0; i < 500; ++i) {
    std::vector<Hop> hops;
    std::set<int> taken;
    for (const Hop& hop : all) {
      if (draw.once_in(4) && i % 2 == 0) continue;  // an element without work
      taken.insert(route_of(architecture, hop).target);
      if (draw.once_in(i % 3 + 1) || i % 7 == 0) hops.push_back(hop);
    }
    std::vector<std::size_t> served;
    const auto groups = machine.multicasts.cover(ways_of(architecture, hops), taken);
    for (const auto& group : *groups) {
      std::set<int> wanted, reached = targets_of(architecture, group.hop);
      for (const std::size_t user : group.users) wanted.insert(route_of(architecture, hops[user]).target);
      CHECK(std::ranges::includes(reached, wanted));
      std::erase_if(reached, [&](int memory) { return !taken.contains(memory); });
      CHECK(reached == wanted);
      CHECK(wanted.size() == group.users.size());
      if (wanted.size() == 1) CHECK(group.hop == hops[group.users.front()]);
      served.insert(served.end(), group.users.begin(), group.users.end());
    }
    std::ranges::sort(served);
    std::vector<std::size_t> each(hops.size());
    for (std::size_t h = 0; h < hops.size(); ++h) each[h] = h;
    CHECK(served == each);
  }
}

TEST_CASE("is the way to one memory not one that reaches others") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  for (const auto& hop : own_transfers(architecture, "weights")) {
    const Route& route = route_of(architecture, hop);
    const auto path = machine.graph.path(route.source, route.target);
    REQUIRE(path.size() == 1);
    CHECK(path.front() == hop);
  }
}

TEST_CASE("where nothing but multicasts leads, do they reach all who want the bytes, and nobody who holds others") {
  constexpr int side = 3;
  const Architecture architecture =
      test::bus_cores({{test::Bus::row, test::Bus::column, test::Bus::all}, {test::Bus::own}, side});
  const Machine machine(architecture);
  const auto all = only_multicasts(machine, "a");
  REQUIRE(all.size() == side * side);
  test::Draw draw(multicast_seed);
  int served = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<Way> ways;
    std::set<int> taken, wanted;
    for (const Way& way : all) {
      if (draw.once_in(4)) continue;  // an element without work
      taken.insert(way.memory);
      if (!draw.once_in(i % 5 + 1)) continue;
      ways.push_back(way);
      wanted.insert(way.memory);
    }
    const auto groups = machine.multicasts.cover(ways, taken);
    // Rows, columns and the whole: a memory can be reached if one of them holds none of the others'.
    const auto reachable = [&](const Way& way) {
      const auto element = static_cast<int>(std::ranges::find(all, way.memory, &Way::memory) - all.begin());
      const auto free = [&](const auto& in) {
        for (int e = 0; e < side * side; ++e) {
          const int memory = all[static_cast<std::size_t>(e)].memory;
          if (in(e) && taken.contains(memory) && !wanted.contains(memory)) return false;
        }
        return true;
      };
      return free([&](int e) { return e / side == element / side; }) ||
             free([&](int e) { return e % side == element % side; }) || free([](int) { return true; });
    };
    if (!std::ranges::all_of(ways, reachable)) CHECK(!groups.has_value());
    if (wanted.size() == taken.size()) CHECK(groups.has_value());
    if (!groups) continue;
    ++served;
    std::set<int> reached;
    for (const auto& group : *groups) {
      for (const int target : targets_of(architecture, group.hop)) {
        CHECK((wanted.contains(target) || !taken.contains(target)));
        if (wanted.contains(target)) reached.insert(target);
      }
    }
    CHECK(reached == wanted);
  }
  CHECK(served > 50);
}

TEST_CASE("is one place filled once for all who read there") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  auto ways = ways_of(architecture, own_transfers(architecture, "inputs"));
  ways.resize(1);
  ways.push_back(ways.front());
  const auto groups = machine.multicasts.cover(ways, {});
  REQUIRE(groups->size() == 1);
  CHECK(groups->front().users.size() == 2);
}
