#pragma once

#include <string>
#include <vector>

#include "compiler/mapping/cost.h"

namespace accord {

/// The best tilings that a local search finds for one assignment: tiles, loop order, copies; fewest predicted cycles
/// first, at most `count`. From the smallest tile, one or two iterators change their size at a time, in either
/// direction, as long as the prediction falls; again with fewer copies where memory is short. An assignment that comes
/// with tiles, those of similar work, is searched from there, one iterator at a time. Deterministic. Empty with `error`
/// where no tiling is legal.
std::vector<Mapping> best_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& assignment, std::size_t count, std::string& error);

/// Tilings that differ from a mapping's in the size of one or two iterators by little, each with its best order and
/// copies; fewest predicted cycles first, at most `count`.
std::vector<Mapping> near_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& mapping, std::size_t count);

}  // namespace accord
