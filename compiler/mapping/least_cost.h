#pragma once

#include "compiler/mapping/tile_costs.h"

namespace accord {

/// How many different tiles a move brings or takes over the whole work: as often it happens at least, whatever the
/// loops' order and the copies. Initial values enter the accumulator with every new result.
std::int64_t different_tiles(const Work& work, const Mapping& mapping, const TileCosts& tiles,
                             const TileCosts::Move& move);

/// What `predict` gives at least for the mapping's tiles, whatever the loops' order and the copies. `tiles`: without
/// error.
double least_cost(const Work& work, const Mapping& mapping, const TileCosts& tiles);

}  // namespace accord
