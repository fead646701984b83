#pragma once

#include <cstdint>

#include "compiler/network/network.h"

namespace accord {

/// The most that all constants of a model may take, in bytes.
inline constexpr std::int64_t max_constant_bytes = std::int64_t{1} << 33;

/// Elements of the largest tensor that is computed or given from outside: 512 MiB of fp32, of which runs hold several
/// copies. Constants in files may have `max_elements`.
inline constexpr std::int64_t max_computed_elements = std::int64_t{1} << 27;

/// Throws Error where a dimension is negative or the tensor has more elements.
void check_shape(const Shape& shape, std::int64_t most = max_computed_elements);

}  // namespace accord
