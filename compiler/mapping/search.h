#pragma once

#include <string>
#include <vector>

#include "compiler/mapping/cost.h"

namespace accord {

/// The best tilings that a local search finds for one assignment: tiles, loop order, copies; fewest predicted cycles
/// first, at most `count`. From the smallest tile, one or two iterators change their size at a time, in either
/// direction, as long as the prediction falls; again with fewer copies where memory is short. Deterministic. Empty with
/// `error` where no tiling is legal.
std::vector<Mapping> best_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& assignment, std::size_t count, std::string& error);

/// The first of them into `mapping`; false with `error` where there is none.
bool choose_tiles(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                  Mapping& mapping, std::string& error);

}  // namespace accord
