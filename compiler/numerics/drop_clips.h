#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Drops each Clip between tensors of one given scale whose bounds are what the storage type holds at that scale, or
/// beyond: storing the values bounds them.
void drop_clips_of_storage(Network& network, const Numerics& numerics);

}  // namespace accord::numerics
