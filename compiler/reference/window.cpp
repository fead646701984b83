#include "compiler/reference/window.h"

#include <algorithm>

#include "archdsl/source/error.h"
#include "compiler/reference/elements.h"

namespace accord::reference {

Window make_window(const Operator& op, const Shape& x, const Shape& y, const std::vector<std::int64_t>& kernel) {
  if (x.size() < 3 || y.size() != x.size() || kernel.size() != x.size() - 2) {
    throw Error("ranks of input, output and window do not agree");
  }
  const std::size_t rank = kernel.size();
  const std::vector<std::int64_t> ones(rank, 1), no_pads(2 * rank, 0);
  Window window;
  window.in.assign(x.begin() + 2, x.end());
  window.out.assign(y.begin() + 2, y.end());
  window.kernel = kernel;
  window.stride = attribute(op, "strides", ones);
  window.dilation = attribute(op, "dilations", ones);
  const auto pads = attribute(op, "pads", no_pads);
  if (window.stride.size() != rank || window.dilation.size() != rank || pads.size() != 2 * rank) {
    throw Error("strides, dilations or pads do not fit the window");
  }
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.pad_begin.assign(pads.begin(), middle);
  window.pad_end.assign(middle, pads.end());
  return window;
}

Window pool_window(const OperatorCall& call) {
  const Shape& x = call.inputs[0].shape;
  const Shape spatial(x.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(x.size())), x.end());
  const bool global = call.op.type.starts_with("Global");
  return make_window(call.op, x, call.outputs[0].shape,
                     global ? spatial : attribute(call.op, "kernel_shape", std::vector<std::int64_t>{}));
}

Taps taps_within(std::int64_t start, std::int64_t dilation, std::int64_t kernel, std::int64_t extent) {
  const std::int64_t before = start < 0 ? (-start - 1) / dilation + 1 : 0;
  const std::int64_t first = std::min(before, kernel);
  const std::int64_t last = start < extent ? (extent - 1 - start) / dilation + 1 : 0;
  return {first, std::clamp(last, first, kernel)};
}

std::vector<std::int64_t> padded_extents(const Window& window) {
  std::vector<std::int64_t> extents(window.rank());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    extents[d] = (window.out[d] - 1) * window.stride[d] + (window.kernel[d] - 1) * window.dilation[d] + 1;
  }
  return extents;
}

std::vector<std::ptrdiff_t> plane_offsets(const std::vector<std::int64_t>& extents,
                                          const std::vector<std::int64_t>& counts,
                                          const std::vector<std::int64_t>& step) {
  std::vector<std::ptrdiff_t> offsets{0};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::vector<std::ptrdiff_t> finer;
    finer.reserve(offsets.size() * static_cast<std::size_t>(counts[d]));
    for (std::ptrdiff_t offset : offsets) {
      for (std::int64_t i = 0; i < counts[d]; ++i) finer.push_back(offset * extents[d] + i * step[d]);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

template <typename T>
std::vector<T> padded_planes(const TensorView& x, const Window& window, std::int64_t first_channel,
                             std::int64_t channels, T outside) {
  const auto extents = padded_extents(window);
  const std::size_t inner = window.rank() - 1;
  std::vector<std::int64_t> row_counts = window.in, row_extents = extents;
  row_counts.back() = row_extents.back() = 1;
  const std::int64_t plane = element_count(extents), rows = element_count(row_counts);
  const std::int64_t begin = std::max<std::int64_t>(0, -window.pad_begin[inner]);
  const std::int64_t end = std::min(window.in[inner], extents[inner] - window.pad_begin[inner]);
  std::vector<T> padded(static_cast<std::size_t>(channels * plane), outside);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t rest = row, to = 0, scale = extents[inner];
    bool inside = begin < end;
    for (std::size_t d = inner; d-- > 0;) {
      const std::int64_t at = rest % window.in[d] + window.pad_begin[d];
      rest /= window.in[d];
      inside = inside && at >= 0 && at < extents[d];
      to += at * scale;
      scale *= extents[d];
    }
    if (!inside) continue;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t from = ((first_channel + c) * rows + row) * window.in[inner] + begin;
      load_range(x, from, end - begin, padded.data() + c * plane + to + window.pad_begin[inner] + begin);
    }
  }
  return padded;
}

template std::vector<float> padded_planes(const TensorView&, const Window&, std::int64_t, std::int64_t, float);
template std::vector<std::uint32_t> padded_planes(const TensorView&, const Window&, std::int64_t, std::int64_t,
                                                  std::uint32_t);
template std::vector<std::uint64_t> padded_planes(const TensorView&, const Window&, std::int64_t, std::int64_t,
                                                  std::uint64_t);

}  // namespace accord::reference
