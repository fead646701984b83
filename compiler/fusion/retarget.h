#pragma once

#include <optional>

#include "compiler/mapping/candidates.h"

namespace accord {

/// An assignment of a layer's loops for a slice of the layer: the same capabilities and chains, the slice's accesses
/// and extents, and the shortest ways to the homes of its tensors. Its tiles, if it has any and they suit, are cut to
/// the slice. Nothing where a home cannot be reached by all that work on the slice.
std::optional<Mapping> retarget(const Machine& machine, const Homes& homes, const Mapping& mapping, const Work& layer,
                                const Work& slice);

}  // namespace accord
