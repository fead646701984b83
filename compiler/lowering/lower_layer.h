#pragma once

#include <vector>

#include "compiler/lowering/lower.h"
#include "compiler/mapping/split.h"

namespace accord {

/// Lowers a mapped layer, as it is to be scheduled: the parts of divided work each for its own element, the turns of
/// loops overlapped. Parts depend on nothing of each other's; their operations alternate, so that a controller that
/// dispatches in order serves all. `homes` and `off_chip` as `lower` has them.
OpList lower_layer(SharedMachines& shared, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping, std::vector<OffChip>& off_chip);

}  // namespace accord
