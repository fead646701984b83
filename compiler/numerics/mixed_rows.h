#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// The axes of an input, true where the operator's results are sums of values that lie along them: its rows. None where
/// each result is of one value, or of few beside each other, or the operator does not add.
std::vector<bool> mixed_axes(const Network& network, const Operator& op, std::size_t input);

/// The greatest magnitude of a low row: a tenth of those that are not all 0 have none greater. Infinite where all are
/// 0.
double low_row(std::span<const std::byte> fp32_values, const Shape& shape, const std::vector<bool>& mixed);

}  // namespace accord::numerics
