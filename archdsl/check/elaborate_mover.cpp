#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

constexpr std::size_t most_routes = 4096;

void read_routes(Elaboration& elaboration, const Node& routes, const std::vector<int>& links, Unit& unit,
                 UnitSource& source) {
  const std::vector<const Node*> items = items_of(routes);
  if (items.size() > most_routes) {
    elaboration.scope.reporter().report("out-of-range", routes.place, fmt::format("more than {} routes", most_routes));
    source.routes_known = false;
  }
  for (const Node* const route : std::span(items).first(std::min(items.size(), most_routes)))
    read_route(elaboration, *route, links, unit, source);
}

}  // namespace

Unit read_mover(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source) {
  const MapReader reader(elaboration.scope, *component.node, "mover", fmt::format("mover `{}`", component.name));
  Unit unit;
  unit.kind = UnitKind::mover;
  unit.name = component.name;
  unit.period = elaboration.clock_of(component).period;
  unit.queue = static_cast<int>(reader.integer("queue"));
  unit.request = reader.bytes("request");
  unit.in_flight = static_cast<int>(reader.integer("in_flight"));
  unit.setup = reader.cycles("setup");
  unit.silicon = read_silicon(reader);
  std::vector<int> links;
  if (const Node* const link = reader.find("link")) links = read_links(elaboration, *link);
  if (const Node* const routes = reader.find("routes")) read_routes(elaboration, *routes, links, unit, source);
  if (const Node* const capabilities = reader.find("capabilities")) {
    read_capabilities(elaboration, capabilities, unit, source);
  }
  if (links.empty() && !unit.routes.empty()) links = unit.routes.front().links;
  unit.link = links.empty() ? -1 : links.front();
  return unit;
}

}  // namespace accord
