#pragma once

#include <cstdint>
#include <vector>

#include "compiler/network/network.h"

namespace accord::reference {

/// Row-major strides, in elements.
std::vector<std::int64_t> row_major_strides(const Shape& shape);

/// For every element of `to`, in order, the index of the element of `from` that broadcasts to it (ONNX, from the
/// right). Throws Error when the shapes do not broadcast.
std::vector<std::int64_t> broadcast_indices(const Shape& from, const Shape& to);

/// For every point of `shape` in row-major order, first + sum of index * stride.
std::vector<std::int64_t> strided_indices(const Shape& shape, const std::vector<std::int64_t>& strides,
                                          std::int64_t first = 0);

}  // namespace accord::reference
