#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Whether the tensor is there, constant, and of fp32.
bool is_float_constant(const Network& network, TensorId id);

/// The elements of a constant of any type.
std::vector<double> numbers_of(const Tensor& constant);

}  // namespace accord
