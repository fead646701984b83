#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Whether the tensor is there, constant, and of fp32.
bool is_float_constant(const Network& network, TensorId id);

/// The elements of a constant of any type, cut to integers, i64 exactly.
std::vector<std::int64_t> integers_of(const Tensor& constant);

/// The elements of a constant of any type.
std::vector<double> numbers_of(const Tensor& constant);

/// The same for every element of a shape that the constant broadcasts to.
std::vector<double> broadcast_numbers(const Tensor& constant, const Shape& to);

/// Each element of a constant so often, one after another.
std::vector<double> repeated_numbers(const Tensor& constant, std::int64_t times);

/// The elements of a constant matrix [R, C] (or [1.., R, C]) as [C, R]. Most of a transformer's bytes pass here: they
/// are moved when they are asked for, so that they need not lie beside each other.
ConstantData transposed_matrix(const Tensor& constant);

}  // namespace accord
