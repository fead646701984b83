#include "archdsl/graph/components.h"

namespace accord {

std::vector<ComponentCost> component_costs(const Architecture& architecture) {
  std::vector<ComponentCost> costs;
  const auto add = [&](const std::string& name, const Silicon& silicon, const Period& clock) {
    const double cycles = static_cast<double>(clock.denominator) / static_cast<double>(clock.numerator);
    costs.push_back({name, silicon.area_um2, silicon.static_pj * cycles});
  };
  for (const Unit& unit : architecture.units) add(unit.name, unit.silicon, unit.period);
  for (const Memory& memory : architecture.memories) add(memory.name, memory.silicon, memory.period);
  for (const Link& link : architecture.links) {
    // A stated bandwidth has a beat of its own.
    add(link.name, link.silicon, architecture.clocks[static_cast<std::size_t>(link.clock)].period);
  }
  add(architecture.controller.name, architecture.controller.silicon, {});
  return costs;
}

}  // namespace accord
