#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "compiler/reference/window.h"

namespace accord::reference {

/// One dimension of a window, over rows of `width` elements.
template <typename T, typename Combine>
class DimensionFold {
 public:
  DimensionFold(const Window& w, std::size_t d, std::int64_t width, const T& identity, const Combine& combine)
      : in_(w.in[d]),
        out_(w.out[d]),
        kernel_(w.kernel[d]),
        stride_(w.stride[d]),
        dilation_(w.dilation[d]),
        pad_begin_(w.pad_begin[d]),
        padded_((out_ - 1) * stride_ + (kernel_ - 1) * dilation_ + 1),
        width_(width),
        identity_(identity),
        combine_(combine) {}

  /// `y` holds identities.
  void fold(const T* x, T* y) const {
    const bool mostly_pads = padded_ / 8 > in_ + out_;
    kernel_ < 8 || mostly_pads ? fold_taps(x, y) : fold_doubled(padded_rows(x), y);
  }

 private:
  void fold_taps(const T* x, T* y) const {
    for (std::int64_t o = 0; o < out_; ++o) {
      const std::int64_t start = o * stride_ - pad_begin_;
      const Taps taps = taps_within(start, dilation_, kernel_, in_);
      for (std::int64_t t = taps.first; t < taps.last; ++t)
        combine_rows(y + o * width_, x + (start + t * dilation_) * width_, width_);
    }
  }

  /// Those behind the last window are left out.
  std::vector<T> padded_rows(const T* x) const {
    const std::int64_t begin = std::max<std::int64_t>(0, -pad_begin_), end = std::min(in_, padded_ - pad_begin_);
    std::vector<T> rows(static_cast<std::size_t>(padded_ * width_), identity_);
    if (begin < end) std::copy(x + begin * width_, x + end * width_, rows.begin() + (begin + pad_begin_) * width_);
    return rows;
  }

  /// From windows of 1, 2, 4, ... taps, so that wide ones take little longer than narrow ones.
  void fold_doubled(std::vector<T> rows, T* y) const {
    std::int64_t taken = 0;
    for (std::int64_t taps = 1; taken < kernel_; taps *= 2) {
      if (kernel_ & taps) {
        for (std::int64_t o = 0; o < out_; ++o)
          combine_rows(y + o * width_, rows.data() + (o * stride_ + taken * dilation_) * width_, width_);
        taken += taps;
      }
      const std::int64_t step = taps * dilation_ * width_, size = static_cast<std::int64_t>(rows.size());
      if (taken < kernel_ && step < size) combine_rows(rows.data(), rows.data() + step, size - step);
    }
  }

  void combine_rows(T* to, const T* from, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) to[i] = combine_(to[i], from[i]);
  }

  std::int64_t in_, out_, kernel_, stride_, dilation_, pad_begin_, padded_, width_;
  T identity_;
  Combine combine_;
};

/// What `combine` makes of the elements in each window of the plane, in their order; it must be associative.
template <typename T, typename Combine>
std::vector<T> fold_windows(const Window& window, std::vector<T> plane, const T& identity, const Combine& combine) {
  if (window.out_count() == 0) return {};
  std::int64_t inner = 1;
  for (std::size_t d = window.rank(); d-- > 0; inner *= window.out[d]) {
    const DimensionFold<T, Combine> dimension(window, d, inner, identity, combine);
    const std::int64_t outer = std::accumulate(window.in.begin(), window.in.begin() + static_cast<std::ptrdiff_t>(d),
                                               std::int64_t{1}, std::multiplies<>());
    std::vector<T> folded(static_cast<std::size_t>(outer * window.out[d] * inner), identity);
    for (std::int64_t i = 0; i < outer; ++i)
      dimension.fold(plane.data() + i * window.in[d] * inner, folded.data() + i * window.out[d] * inner);
    plane = std::move(folded);
  }
  return plane;
}

}  // namespace accord::reference
