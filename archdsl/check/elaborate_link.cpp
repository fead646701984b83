#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

Link read_link(Elaboration& elaboration, const Elaboration::Component& component) {
  MapReader reader(elaboration.scope, *component.node, fmt::format("link `{}`", component.name));
  reader.find("kind");
  Link link;
  link.name = component.name;
  link.where = elaboration.where(component.place);
  if (const Node* const width = reader.require("width")) {
    link.width = elaboration.scope.bytes_per_cycle(*width, "width", {1, 1 << 20}).value_or(1);
  }
  link.duplex = reader.flag("duplex", false);
  link.latency = reader.cycles("latency", {0, 1'000'000}, 0);
  link.pj_per_byte = reader.energy("energy");
  reader.finish();
  return link;
}

}  // namespace accord
