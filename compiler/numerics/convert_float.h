#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"
#include "compiler/numerics/added_sums.h"

namespace accord {

/// Brings a canonical network (docs/operators.md, form 2) to a float machine's types (form 3): activations and weights
/// in the storage type, products, sums and biases in the accumulator type, Requantize with the covenant's expression
/// between them. Element-wise operators take and give the storage type. Network inputs and outputs stay fp32 (Cast).
/// `sums`: what the machine adds to a product in its accumulator (`added_sums`).
/// A canonical network that nobody else has is used up: what is converted of its constants goes.
Network convert_float(Network canonical, const Numerics& numerics, AddedSums sums = AddedSums::per_channel);

}  // namespace accord
