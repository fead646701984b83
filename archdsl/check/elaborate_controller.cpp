#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

void read_feeds(Elaboration& elaboration, const Node& feeds) {
  std::vector<std::string> names;
  for (const Unit& unit : elaboration.architecture.units) names.push_back(unit.name);
  for (const Node* const item : items_of(feeds)) {
    const auto name = elaboration.scope.text(*item, "feeds");
    if (!name) continue;
    const auto found = std::find(names.begin(), names.end(), *name);
    if (found != names.end()) {
      elaboration.fed[static_cast<std::size_t>(found - names.begin())] = true;
      continue;
    }
    const auto* const component = elaboration.find(*name);
    if (component && component->kind == ComponentKind::unknown) continue;
    elaboration.scope.reporter().report(component ? "wrong-component" : "unknown-name", item->place,
                                        fmt::format("feeds: `{}` is no mover or compute unit", *name),
                                        component ? "" : did_you_mean(*name, names));
  }
}

}  // namespace

Controller read_controller(Elaboration& elaboration, const Elaboration::Component& component) {
  MapReader reader(elaboration.scope, *component.node, fmt::format("controller `{}`", component.name));
  reader.find("kind");
  Controller controller;
  controller.name = component.name;
  controller.where = elaboration.where(component.place);
  controller.issue_width = static_cast<int>(reader.integer("issue_width", {1, 1024}, 1));
  controller.loop_depth = static_cast<int>(reader.integer("loop_depth", {0, 64}, 0));
  if (const Node* const feeds = reader.find("feeds")) {
    read_feeds(elaboration, *feeds);
  } else {
    elaboration.fed.assign(elaboration.fed.size(), true);
  }
  reader.finish();
  return controller;
}

}  // namespace accord
