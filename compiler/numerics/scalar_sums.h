#pragma once

#include "archdsl/graph/architecture.h"

namespace accord {

/// Whether every capability that adds `x * m` into the accumulator has m as an argument of the instruction, one for all
/// channels.
bool sums_take_scalars(const Architecture& architecture);

}  // namespace accord
