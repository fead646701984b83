#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lowering/banks.h"
#include "compiler/lowering/operation.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {

/// Where each use's tile copies lie on chip.
struct TileBuffer {
  std::vector<std::int64_t> bases;  ///< of each copy
  int first = 0;                    ///< buffer id of copy 0
  int copies() const { return static_cast<int>(bases.size()); }
};

/// Hands out on-chip memory. Indexed [use][level]; levels without a tile have no copies. `all`: the buffers by id.
/// `first`: the first of the parts of divided work, the greatest, whose tiles are copied as often as all find room for;
/// `bytes`: of the greatest tiles of all parts. Where parts share a memory or get the same bytes, each finds the places
/// of all. Throws Error where a memory is too small.
std::vector<std::vector<TileBuffer>> place_buffers(const Machine& machine, const TileBytes& bytes, const Mapping& first,
                                                   const Mapping& mapping, LaidFrom from, std::vector<Buffer>& all);

}  // namespace accord
