#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

Unit read_compute(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source) {
  MapReader reader(elaboration.scope, *component.node, fmt::format("compute `{}`", component.name));
  reader.find("kind");
  Unit unit;
  unit.kind = UnitKind::compute;
  unit.name = component.name;
  unit.queue = static_cast<int>(reader.integer("queue", {1, 65536}, 4));
  unit.area_um2 = reader.area("area");
  read_capabilities(elaboration, reader.require("capabilities"), unit, source);
  reader.finish();
  return unit;
}

}  // namespace accord
