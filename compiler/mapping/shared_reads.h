#pragma once

#include <span>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// What several requesters get together of a way that they share, `served` of `asked` beats: they meet at random, and
/// each waits for others at times when nobody waits for it. From simulations of divided layers whose loads nearly fill
/// the way.
constexpr std::int64_t served = 4, asked = 5;

/// How often a loop that divides work turns: the parts that it makes.
std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop);

/// Into how many parts the mapping's work is divided.
std::size_t part_count(const Mapping& mapping);

/// Where these run; valid as long as the machine is.
std::span<const Site> part_sites(const Machine& machine, const Mapping& mapping);

/// By part, how it gets the outermost tiles of a use. Parts read the same where the use does not depend on what divides
/// them.
std::vector<SharedTiles> readings_of(const Machine& machine, const Mapping& mapping, std::size_t use);

/// One part that stands for all: its mover is the one with most transfers, and a transfer reaches as many parts as one
/// does on average.
SharedTiles typical(const std::vector<SharedTiles>& readings);

}  // namespace accord
