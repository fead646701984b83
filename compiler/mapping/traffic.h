#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "compiler/mapping/geometry.h"

namespace accord {

/// Bytes that a mapping moves to and from off-chip memory and between memories on chip.
struct Traffic {
  std::map<std::pair<int, int>, std::int64_t> routes;        ///< by (unit, route): transfers
  std::map<std::pair<int, int>, std::int64_t> capabilities;  ///< by (unit, capability): its off-chip operands
  std::map<int, std::int64_t> off_chip;                      ///< by use: what of both crosses off-chip memory's edge
};

/// What is read once and repeated at the target counts once. Full and last tiles are counted as they are, each as often
/// as the loops bring it in; capabilities that reach off-chip memory themselves touch each element once per tile.
Traffic traffic_of(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping);

}  // namespace accord
