#pragma once

#include <string>
#include <vector>

#include "compiler/mapping/cost.h"

namespace accord {

/// Chooses tiles, loop order and buffers for one assignment: greedy growth from the smallest tile, move by move as the
/// predicted cycles fall. Deterministic. Returns false with `error` where no tiling is legal.
bool choose_tiles(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                  Mapping& mapping, std::string& error);

}  // namespace accord
