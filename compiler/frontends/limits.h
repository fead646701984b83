#pragma once

#include <cstdint>

#include "compiler/network/network.h"

namespace accord {

/// The most that all constants of a model may take, in bytes.
inline constexpr std::int64_t max_constant_bytes = std::int64_t{1} << 33;

/// Throws Error where a dimension is negative or the tensor too large.
void check_shape(const Shape& shape);

}  // namespace accord
