#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "archdsl/check/rules.h"
#include "archdsl/graph/components.h"

namespace accord {

namespace {

/// A route of several elements' movers: the first of them that passes links, and of those that pass none.
struct Alike {
  const Route* linked = nullptr;
  const Route* apart = nullptr;
  Place place;  ///< of the latter
  int count = 0;
};

}  // namespace

// A mesh that misses a link still works, over private wires that the machine will not have.
void check_links(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const auto name = [&](int memory) { return architecture.memories[static_cast<std::size_t>(memory)].name; };
  std::map<std::string, Alike> routes;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      const Route& route = unit.routes[r];
      const std::string common = without_indices(unit.name + " " + name(route.source) + " " + name(route.target));
      Alike& alike = routes[common];
      if (!route.links.empty()) {
        if (alike.linked == nullptr) alike.linked = &route;
      } else if (alike.count++ == 0) {
        alike.apart = &route;
        alike.place = elaboration.units[u].route_places[r];
      }
    }
  }
  for (const auto& [common, alike] : routes) {
    if (alike.linked == nullptr || alike.apart == nullptr) continue;
    const std::string others = alike.count > 1 ? fmt::format(", nor {} others like it", alike.count - 1) : "";
    elaboration.scope.reporter().report(
        "no-way", alike.place,
        fmt::format("no links lead from `{}` to `{}`{}: wires of its own join them", name(alike.apart->source),
                    name(alike.apart->target), others),
        fmt::format("from `{}` to `{}` links do", name(alike.linked->source), name(alike.linked->target)));
  }
}

// Without queues nothing waits that could be chosen among.
void check_arbitration(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  if (architecture.sync.kind != Sync::Kind::in_order) return;
  std::set<std::tuple<int, int, int>> known;
  for (std::size_t l = 0; l < architecture.links.size(); ++l) {
    const Link& link = architecture.links[l];
    const Place& place = elaboration.link_places[l];
    if (link.arbitration == Arbitration::first_come) continue;
    if (!known.emplace(place.file, place.line, place.column).second) continue;
    elaboration.scope.reporter().report(
        "unused-arbitration", place,
        fmt::format("the machine runs in order, and so do requests on `{}`: its arbitration chooses nothing",
                    link.name),
        "leave `arbitration` out, or synchronise by interlock or semaphores");
  }
}

}  // namespace accord
