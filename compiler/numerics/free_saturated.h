#pragma once

#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Takes the model's integers from tensors that one of its quantisers saturates, in a run of the float reference on one
/// of the inputs, and that others read, too, or that are results: these want the values as they were.
void free_saturated(Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
