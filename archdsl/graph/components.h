#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// One numbering of all that a machine consists of: units, memories, links, the controller.
struct ComponentNumbers {
  explicit ComponentNumbers(const Architecture& architecture)
      : units(architecture.units.size()), memories(architecture.memories.size()), links(architecture.links.size()) {}

  std::size_t units, memories, links;

  std::size_t of_unit(int unit) const { return static_cast<std::size_t>(unit); }
  std::size_t of_memory(int memory) const { return units + static_cast<std::size_t>(memory); }
  std::size_t of_link(int link) const { return units + memories + static_cast<std::size_t>(link); }
  std::size_t controller() const { return units + memories + links; }
  std::size_t count() const { return controller() + 1; }
};

/// What a component is called and what it costs by being there.
struct ComponentCost {
  std::string name;
  double area_um2 = 0;
  double static_pj = 0;  ///< per reference cycle
};

/// `core[0][2].spad` as `core[*][*].spad`: what the elements of an array have in common.
std::string without_indices(const std::string& name);

/// By number.
std::vector<ComponentCost> component_costs(const Architecture& architecture);

}  // namespace accord
