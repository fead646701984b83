#pragma once

#include <cstdint>

#include "compiler/network/network.h"

namespace accord {

/// Largest tensor a model may have, in elements, and the most that all its constants together may take, in bytes.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 30;
inline constexpr std::int64_t max_constant_bytes = std::int64_t{1} << 33;

/// Throws Error where a dimension is negative or the tensor too large.
void check_shape(const Shape& shape);

}  // namespace accord
