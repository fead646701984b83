#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Whether the operator is a sum or a mean along axes of its input: a pool over the whole plane is one.
bool reduces_rows(const Network& network, const Operator& op);

/// The axes of a tensor of that rank, true for those along which such an operator works: its rows.
std::vector<bool> reduced_axes(const Operator& op, std::size_t rank);

/// The greatest magnitude of a low row: a tenth of those that are not all 0 have none greater. Infinite where all are
/// 0.
double low_row(std::span<const std::byte> fp32_values, const Shape& shape, const std::vector<bool>& axes);

}  // namespace accord::numerics
