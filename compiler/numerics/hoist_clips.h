#pragma once

#include "compiler/network/network.h"

namespace accord::numerics {

/// Moves a Clip before the Reshape, Transpose, Slice or MaxPool that it alone follows (they commute), so that it meets
/// the product whose requantisation can do it.
void hoist_clips(Network& network);

}  // namespace accord::numerics
