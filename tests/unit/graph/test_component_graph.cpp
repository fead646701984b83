// Are the paths between memories the shortest, the widest, and the earliest, in this order?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "archdsl/graph/component_graph.h"

using namespace accord;

namespace {

Architecture machine(int memories) {
  Architecture a;
  for (int m = 0; m < memories; ++m) {
    Memory memory;
    memory.word = 16;
    a.memories.push_back(memory);
  }
  return a;
}

void add_mover(Architecture& a, std::vector<std::tuple<int, int, std::int64_t>> routes) {
  Unit unit;
  unit.kind = UnitKind::mover;
  for (const auto& [from, to, width] : routes) {
    Link link;
    link.width = width;
    a.links.push_back(link);
    Route route;
    route.source = from;
    route.target = to;
    route.links = {static_cast<int>(a.links.size()) - 1};
    unit.routes.push_back(route);
  }
  a.units.push_back(unit);
}

}  // namespace

TEST_CASE("a direct route beats a wider detour") {
  Architecture a = machine(3);
  add_mover(a, {{0, 1, 64}, {1, 2, 64}, {0, 2, 1}});
  CHECK(ComponentGraph(a).path(0, 2) == std::vector<Hop>{{0, 2}});
}

TEST_CASE("among equally short paths the widest wins, then the earliest") {
  Architecture a = machine(4);
  add_mover(a, {{0, 1, 8}, {1, 3, 64}, {0, 2, 16}, {2, 3, 16}, {2, 3, 16}});
  CHECK(ComponentGraph(a).path(0, 3) == std::vector<Hop>{{0, 2}, {0, 3}});
}

TEST_CASE("no way is no path; the way to itself is empty") {
  Architecture a = machine(2);
  add_mover(a, {{0, 1, 8}});
  const ComponentGraph graph(a);
  CHECK(graph.reachable(0, 1));
  CHECK_FALSE(graph.reachable(1, 0));
  CHECK(graph.path(1, 0).empty());
  CHECK(graph.reachable(1, 1));
  CHECK(graph.path(1, 1).empty());
}

TEST_CASE("random graphs: path lengths agree with Floyd and Warshall, and hops join up") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const int n = 2 + static_cast<int>(random() % 8);
    Architecture a = machine(n);
    constexpr int far = 1000;
    std::vector<std::vector<int>> d(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(n), far));
    std::vector<std::tuple<int, int, std::int64_t>> routes;
    for (unsigned e = 0; e < 2U * static_cast<unsigned>(n); ++e) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(n));
      const int to = static_cast<int>(random() % static_cast<unsigned>(n));
      if (from == to) continue;
      routes.emplace_back(from, to, 1 + random() % 64);
      d[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = 1;
    }
    add_mover(a, routes);
    for (std::size_t k = 0; k < d.size(); ++k) {
      d[k][k] = 0;
      for (auto& row : d) {
        for (std::size_t j = 0; j < d.size(); ++j) row[j] = std::min(row[j], row[k] + d[k][j]);
      }
    }
    const ComponentGraph graph(a);
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        const int expected = d[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
        const auto path = graph.path(from, to);
        CHECK(graph.reachable(from, to) == (expected < far));
        if (expected < far) CHECK(static_cast<int>(path.size()) == expected);
        int at = from;
        for (const Hop& hop : path) {
          const Route& route = a.units[0].routes[static_cast<std::size_t>(hop.route)];
          CHECK(route.source == at);
          at = route.target;
        }
        if (!path.empty()) CHECK(at == to);
      }
    }
  }
}
