#include "archdsl/graph/components.h"

#include <cctype>

namespace accord {

std::string without_indices(const std::string& name) {
  std::string common;
  for (std::size_t i = 0; i < name.size(); ++i) {
    common += name[i];
    if (name[i] != '[') continue;
    common += '*';
    while (i + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[i + 1])) != 0) ++i;
  }
  return common;
}

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
