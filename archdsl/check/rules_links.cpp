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

/// Whether a link's end is the place of a memory: the memory itself, or an element or instance around it.
bool is_at(const std::string& memory, const std::string& end) {
  return memory == end || (memory.starts_with(end) && memory[end.size()] == '.');
}

/// The first of a route's links that does not go on from where it is, or does not end at the target; null: they lead
/// there. Of links without two ends nobody knows.
const Link* broken_link(const Architecture& architecture, const Route& route) {
  const auto name = [&](int memory) { return architecture.memories[static_cast<std::size_t>(memory)].name; };
  std::string at = name(route.source);
  const Link* last = nullptr;
  for (const int index : route.links) {
    const Link& link = architecture.links[static_cast<std::size_t>(index)];
    if (link.between.size() != 2 || link.between[0].empty() || link.between[1].empty()) return nullptr;
    const bool forward = last ? at == link.between[0] : is_at(at, link.between[0]);
    const bool backward = last ? at == link.between[1] : is_at(at, link.between[1]);
    if (!forward && !backward) return &link;
    at = link.between[forward ? 1 : 0];
    last = &link;
  }
  return last == nullptr || is_at(name(route.target), at) ? nullptr : last;
}

void check_named_links(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      const Route& route = unit.routes[r];
      const Link* const broken = route.also.empty() ? broken_link(architecture, route) : nullptr;
      if (broken == nullptr) continue;
      elaboration.scope.reporter().report(
          "no-way", elaboration.units[u].route_places[r],
          fmt::format("its links do not lead from `{}` to `{}`: `{}` joins `{}` and `{}`",
                      architecture.memories[static_cast<std::size_t>(route.source)].name,
                      architecture.memories[static_cast<std::size_t>(route.target)].name, broken->name,
                      broken->between[0], broken->between[1]));
    }
  }
}

}  // namespace

// A mesh that misses a link still works, over private wires that the machine will not have.
void check_links(Elaboration& elaboration) {
  check_named_links(elaboration);
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
