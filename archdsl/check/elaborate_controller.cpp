#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

/// Feeds a unit, or all units of an array or instance.
bool feed_group(Elaboration& elaboration, const std::string& name) {
  const auto& units = elaboration.architecture.units;
  bool any = false;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const bool inside =
        units[u].name.starts_with(name) &&
        (units[u].name.size() == name.size() || units[u].name[name.size()] == '[' || units[u].name[name.size()] == '.');
    if (inside) elaboration.fed[u] = true;
    any = any || inside;
  }
  return any;
}

void read_feeds(Elaboration& elaboration, const Node& feeds) {
  std::vector<std::string> names;
  for (const Unit& unit : elaboration.architecture.units) names.push_back(unit.name);
  for (const Node* const item : items_of(feeds)) {
    const auto name = elaboration.scope.text(*item, "feeds");
    if (!name) continue;
    if (feed_group(elaboration, *name)) continue;
    const auto* const component = elaboration.find(*name);
    if (component && component->kind == ComponentKind::unknown) continue;
    elaboration.scope.reporter().report(component ? "wrong-component" : "unknown-name", item->place,
                                        fmt::format("feeds: `{}` is no mover or compute unit", *name),
                                        component ? "" : did_you_mean(*name, names));
  }
}

}  // namespace

Controller read_controller(Elaboration& elaboration, const Elaboration::Component& component) {
  const MapReader reader(elaboration.scope, *component.node, "controller",
                         fmt::format("controller `{}`", component.name));
  Controller controller;
  controller.name = component.name;
  controller.where = elaboration.where(component.place);
  controller.issue_width = static_cast<int>(reader.integer("issue_width"));
  controller.issue_interval = static_cast<int>(reader.integer("issue_interval"));
  controller.latency = reader.cycles("latency");
  controller.loop_depth = static_cast<int>(reader.integer("loop_depth"));
  controller.silicon = read_silicon(reader);
  if (const Node* const feeds = reader.find("feeds")) {
    read_feeds(elaboration, *feeds);
  } else {
    elaboration.fed.assign(elaboration.fed.size(), true);
  }
  return controller;
}

}  // namespace accord
