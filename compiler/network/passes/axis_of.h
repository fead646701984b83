#pragma once

#include "compiler/network/network.h"

namespace accord {

/// The operator's `axis`, of a tensor with this shape, counted from the front.
inline std::size_t axis_of(const Operator& op, const Shape& shape) {
  const auto axis = attribute(op, "axis", std::int64_t{0});
  return static_cast<std::size_t>(axis < 0 ? axis + std::ssize(shape) : axis);
}

}  // namespace accord
