#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/reference/operator_table.h"

namespace accord::reference {

/// The sliding window of a convolution or pool over the spatial dimensions (all after N and C).
struct Window {
  std::vector<std::int64_t> in, out, kernel, stride, dilation, pad_begin, pad_end;
  std::size_t rank() const { return in.size(); }
  std::int64_t in_count() const { return element_count(in); }
  std::int64_t out_count() const { return element_count(out); }
  std::int64_t kernel_count() const { return element_count(kernel); }
};

/// Reads strides, pads and dilations; `kernel` as given. Throws Error when the ranks do not agree.
Window make_window(const Operator& op, const Shape& x, const Shape& y, const std::vector<std::int64_t>& kernel);

/// As MaxPool's and its like's attributes say; a global pool's window is the plane.
Window pool_window(const OperatorCall& call);

/// A range of taps; `last` is exclusive.
struct Taps {
  std::int64_t first = 0, last = 0;
  std::int64_t count() const { return last - first; }
};

/// Those of a window of `kernel` taps, the first one at `start`, that lie in 0..extent-1.
Taps taps_within(std::int64_t start, std::int64_t dilation, std::int64_t kernel, std::int64_t extent);

/// Extent of the padded plane that all windows together touch, per dimension.
std::vector<std::int64_t> padded_extents(const Window& window);

/// Offsets in a row-major plane of `extents` of the points base + i * step, i over `counts`, row-major.
std::vector<std::ptrdiff_t> plane_offsets(const std::vector<std::int64_t>& extents,
                                          const std::vector<std::int64_t>& counts,
                                          const std::vector<std::int64_t>& step);

/// What padding holds: the attribute `outside`. Integers wrap as the sums do.
template <typename T>
T outside_of(const Operator& op) {
  const double value = attribute(op, "outside", 0.0);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::int64_t>(value));
  return static_cast<T>(value);
}

/// `channels` planes of x from `first_channel` on (counted over N and C), each padded to padded_extents.
template <typename T>
std::vector<T> padded_planes(const TensorView& x, const Window& window, std::int64_t first_channel,
                             std::int64_t channels, T outside = T{});

}  // namespace accord::reference
