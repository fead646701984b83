#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Whether floats give a product of bytes by constant ones exactly: the storage type has all bytes, the accumulator
/// type every sum that can occur.
bool is_exact_in_floats(const Network& network, const Operator& op, const Numerics& numerics);

}  // namespace accord::numerics
