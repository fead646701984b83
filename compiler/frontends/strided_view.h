#pragma once

#include <cstdint>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// A strided view of a dense tensor: element (i0, i1, ...) lies at base + sum of stride * i.
struct StridedView {
  std::int64_t base = 0;
  std::vector<std::int64_t> strides;
};

inline std::vector<std::int64_t> dense_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// View of `shape` broadcast to rank `target.size()`.
inline StridedView broadcast_view(const Shape& shape, const Shape& target) {
  StridedView view;
  view.strides.assign(target.size(), 0);
  const auto strides = dense_strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1) view.strides[d + target.size() - shape.size()] = strides[d];
  }
  return view;
}

/// Calls `visit(position, offset in the view)` for every element of `shape` in row-major order.
template <typename Visit>
void walk(const Shape& shape, const StridedView& view, Visit&& visit) {
  const auto count = count_of(shape);
  Shape index(shape.size(), 0);
  auto offset = view.base;
  for (std::size_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (auto d = shape.size(); d-- > 0;) {
      offset += view.strides[d];
      if (++index[d] < shape[d]) break;
      offset -= view.strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace accord
