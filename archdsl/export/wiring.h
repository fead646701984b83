#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// How a component is drawn.
enum class DrawnShape { off_chip_memory, memory, link, mover, compute, controller };

/// "compute unit", ...: one per DrawnShape.
std::string describe(DrawnShape shape);

/// A component as a picture sees it.
struct DrawnComponent {
  DrawnShape shape{};
  std::string name;
  std::vector<std::string> details;  ///< lines below the name
  std::string likeness;              ///< equal for components that differ in nothing but name and neighbours
};

/// What joins two components, each pair once. Data flows from -> to (`forward`), to -> from (`backward`) or both ways.
struct DrawnWire {
  int from = -1;  ///< index into Wiring::components
  int to = -1;
  bool instructions = false;  ///< the controller feeds a unit; otherwise data
  bool forward = false;
  bool backward = false;
  std::int64_t width = 0;  ///< bytes per cycle; 0 for instructions
};

/// A machine as nodes and edges. Links stand where their bytes pass: between a mover and the off-chip memory it
/// reaches, or, on routes within the chip, between the mover and the memory it writes.
struct Wiring {
  std::vector<DrawnComponent> components;  ///< memories, links, units, controller
  std::vector<DrawnWire> wires;            ///< data wires sorted by ends, then instructions
};

Wiring wiring_of(const Architecture& architecture);

/// "256 KiB": the greatest unit of 1024 that divides.
std::string bytes_text(std::int64_t bytes);

/// What a link takes per cycle; of a bandwidth per cycle of the reference clock, "2.4 B".
std::string width_text(const Architecture& architecture, const Link& link);

}  // namespace accord
