#pragma once

#include <functional>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"
#include "compiler/numerics/added_sums.h"

namespace accord {

/// Brings a canonical network (docs/operators.md, form 2) to a float machine's types (form 3): activations and weights
/// in the storage type, products, sums and biases in the accumulator type, Requantize with the covenant's expression
/// between them. Element-wise operators take and give the storage type. Network inputs and outputs stay fp32 (Cast).
/// `sums`: what the machine adds to a product in its accumulator (`added_sums`).
/// `capable`: whether the machine does all of a numeric network but its Casts by itself. Element-wise operators that it
/// does not become such that it does, where there are (`equivalents.h`); without `capable`, none.
/// A canonical network that nobody else has is used up: what is converted of its constants goes.
Network convert_float(Network canonical, const Numerics& numerics, AddedSums sums = AddedSums::per_channel,
                      const std::function<bool(const Network&)>& capable = {});

}  // namespace accord
