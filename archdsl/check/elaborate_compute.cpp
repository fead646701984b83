#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

Unit read_compute(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source) {
  const MapReader reader(elaboration.scope, *component.node, "compute", fmt::format("compute `{}`", component.name));
  Unit unit;
  unit.kind = UnitKind::compute;
  unit.name = component.name;
  unit.period = elaboration.clock_of(component).period;
  unit.queue = static_cast<int>(reader.integer("queue"));
  unit.silicon = read_silicon(reader);
  read_capabilities(elaboration, reader.find("capabilities"), unit, source);
  return unit;
}

}  // namespace accord
