#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/cost.h"

namespace accord {

/// Where each use's tile copies lie on chip.
struct TileBuffer {
  std::int64_t base = 0;
  std::int64_t bytes = 0;  ///< of one copy
  int copies = 0;
  int first = 0;  ///< buffer id of copy 0
};

/// Hands out on-chip memory: per memory, tile after tile. Indexed [use][level]; levels without a tile have 0 copies.
std::vector<std::vector<TileBuffer>> place_buffers(const Machine& machine, Geometry& geometry, const Mapping& mapping,
                                                   int& count);

}  // namespace accord
