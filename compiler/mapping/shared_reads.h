#pragma once

#include <span>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// How often a loop that divides work turns: the parts that it makes.
std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop);

/// Into how many parts the mapping's work is divided.
std::size_t part_count(const Mapping& mapping);

/// What brings one part of divided work the outermost tiles of a use.
struct Reading {
  Hop hop;                    ///< the part's own, or a multicast
  std::size_t receivers = 1;  ///< parts that it reaches at once
};

/// By part. Parts read the same where the use does not depend on what divides them; `images`: the mapping on the parts'
/// elements.
std::vector<Reading> readings_of(const Machine& machine, const Mapping& mapping, std::span<const Mapping> images,
                                 std::size_t use);

/// Parts that one transfer reaches, on average over the transfers.
double receivers(const std::vector<Reading>& readings);

}  // namespace accord
