#pragma once

#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Takes the model's integers from tensors that others than its quantisers read, or that are results, where they would
/// saturate in a run of the float reference on one of the inputs, or be less than 16 of their steps: these want the
/// values as they were. What came from quantisers keeps its integers, and is read apart where it is tied to such
/// tensors (a Concat of both).
void free_saturated(Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
