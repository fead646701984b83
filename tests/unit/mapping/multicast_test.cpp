// Which transfers of several elements does one multicast stand for?
#include "compiler/mapping/multicast.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "compiler/mapping/candidates.h"
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
      return machine.multicasts.cover(hops).size();
    };
    CHECK(groups({4, 5, 6, 7}) == 1);
    CHECK(groups({1, 5, 9, 13}) == 1);
    CHECK(groups({0, 1, 2, 3, 7, 11, 15}) == 4);
    CHECK(groups({0, 5, 10, 15}) == 4);
    CHECK(machine.multicasts.cover(all).size() == 4);
  }
}

TEST_CASE("does every element get its bytes once, and no other any") {
  const Architecture architecture = shipped("simba");
  const Machine machine(architecture);
  const auto all = own_transfers(architecture, "inputs");
  test::Draw draw(multicast_seed);
  for (int i = 0; i < 500; ++i) {
    std::vector<Hop> hops;
    for (const Hop& hop : all) {
      if (draw.once_in(i % 3 + 1) || i % 7 == 0) hops.push_back(hop);
    }
    std::vector<std::size_t> served;
    for (const auto& group : machine.multicasts.cover(hops)) {
      std::set<int> wanted;
      for (const std::size_t user : group.users) wanted.insert(route_of(architecture, hops[user]).target);
      CHECK(targets_of(architecture, group.hop) == wanted);
      CHECK(wanted.size() == group.users.size());
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
