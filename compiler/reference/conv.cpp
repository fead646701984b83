#include <algorithm>
#include <utility>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/network/parallel.h"
#include "compiler/reference/contraction.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/vector_clones.h"
#include "compiler/reference/window.h"

namespace accord::reference {
namespace {

/// One convolution's sizes: `per_group` channels of x and `columns` of y in each of `groups`.
struct Geometry {
  Window window;
  std::int64_t batch = 0, groups = 0, per_group = 0, columns = 0;
  std::vector<std::ptrdiff_t> pixels, reduction;
};

void check_shapes(const Geometry& g, const Shape& x, const Shape& w, const Shape& y) {
  const bool fits = g.groups > 0 && x[1] == g.groups * g.per_group && w[0] == g.groups * g.columns && y[1] == w[0];
  if (!fits) throw Error("channels of input, weights and output do not agree");
}

Geometry make_geometry(const OperatorCall& call) {
  const Shape &x = call.inputs[0].shape, &w = call.inputs[1].shape, &y = call.outputs[0].shape;
  if (w.size() < 3) throw Error("weights need at least 3 dimensions");
  Geometry g;
  g.window = make_window(call.op, x, y, {w.begin() + 2, w.end()});
  g.batch = x[0];
  g.groups = attribute(call.op, "group", std::int64_t{1});
  g.per_group = w[1];
  g.columns = g.groups > 0 ? w[0] / g.groups : 0;
  check_shapes(g, x, w, y);
  const auto extents = padded_extents(g.window);
  const std::int64_t plane = element_count(extents);
  g.pixels = plane_offsets(extents, g.window.out, g.window.stride);
  const auto taps = plane_offsets(extents, g.window.kernel, g.window.dilation);
  for (std::int64_t c = 0; c < g.per_group; ++c) {
    for (std::ptrdiff_t tap : taps) g.reduction.push_back(c * plane + tap);
  }
  return g;
}

template <typename T>
void pack_rows(const TensorView& w, std::int64_t first_row, std::int64_t width, std::int64_t length, T* panel) {
  std::vector<T> row(static_cast<std::size_t>(length));
  for (std::int64_t j = 0; j < width; ++j) {
    load_range(w, (first_row + j) * length, length, row.data());
    for (std::int64_t l = 0; l < length; ++l)
      panel[l * Contraction<T>::panel_width + j] = row[static_cast<std::size_t>(l)];
  }
}

/// Many channels: columns (output channels) in the vector lanes.
template <typename T>
void convolve_group(const OperatorCall& call, const Geometry& g, const T* x, const T* bias, std::int64_t n,
                    std::int64_t group) {
  const std::int64_t out_count = g.window.out_count(), all_columns = g.groups * g.columns;
  const auto length = static_cast<std::int64_t>(g.reduction.size());
  Contraction<T> job;
  job.x = x;
  job.pixels = g.pixels;
  job.reduction = g.reduction;
  job.columns = g.columns;
  job.bias = bias ? bias + group * g.columns : nullptr;
  job.pack = [&](std::int64_t first, std::int64_t width, T* panel) {
    pack_rows(call.inputs[1], group * g.columns + first, width, length, panel);
  };
  job.store = [&](std::int64_t first, std::int64_t width, std::int64_t p, std::int64_t count, const T* tile) {
    std::vector<T> row(static_cast<std::size_t>(count));
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = 0; i < count; ++i)
        row[static_cast<std::size_t>(i)] = tile[i * Contraction<T>::panel_width + j];
      store_range<T>(call.outputs[0], (n * all_columns + group * g.columns + first + j) * out_count + p, row);
    }
  };
  contract(job, call.threads);
}

template <typename T>
[[gnu::always_inline]] inline void add_scaled(const T* x, std::int64_t stride, T weight, std::int64_t count, T* y) {
  if (stride == 1) {
    for (std::int64_t q = 0; q < count; ++q) y[q] += weight * x[q];
  } else {
    for (std::int64_t q = 0; q < count; ++q) y[q] += weight * x[q * stride];
  }
}

ACCORD_VECTOR_CLONES
void add_scaled_row(const float* x, std::int64_t stride, float weight, std::int64_t count, float* y) {
  add_scaled(x, stride, weight, count, y);
}

ACCORD_VECTOR_CLONES
void add_scaled_row(const std::uint32_t* x, std::int64_t stride, std::uint32_t weight, std::int64_t count,
                    std::uint32_t* y) {
  add_scaled(x, stride, weight, count, y);
}

ACCORD_VECTOR_CLONES
void add_scaled_row(const std::uint64_t* x, std::int64_t stride, std::uint64_t weight, std::int64_t count,
                    std::uint64_t* y) {
  add_scaled(x, stride, weight, count, y);
}

/// Few output channels per group (depthwise): a row of pixels in the vector lanes.
template <typename T>
void convolve_channel(const OperatorCall& call, const Geometry& g, const T* x, const T* bias, std::int64_t n,
                      std::int64_t k) {
  const std::int64_t out_count = g.window.out_count(), row = g.window.out.back();
  const auto length = static_cast<std::int64_t>(g.reduction.size());
  std::vector<T> weights(g.reduction.size());
  load_range(call.inputs[1], k * length, length, weights.data());
  std::vector<T> y(static_cast<std::size_t>(out_count), bias ? bias[k] : T{});
  for (std::int64_t p = 0; p < out_count; p += row) {
    const T* base = x + g.pixels[static_cast<std::size_t>(p)];
    for (std::size_t l = 0; l < weights.size(); ++l) {
      add_scaled_row(base + g.reduction[l], g.window.stride.back(), weights[l], row, y.data() + p);
    }
  }
  store_range<T>(call.outputs[0], (n * g.groups * g.columns + k) * out_count, y);
}

template <typename T>
void convolve(const OperatorCall& call) {
  constexpr std::int64_t few_columns = 8;
  const Geometry g = make_geometry(call);
  if (g.pixels.empty()) return;
  const std::vector<T> bias = call.has_input(2) ? load_as<T>(call.inputs[2]) : std::vector<T>{};
  const T* bias_data = bias.empty() ? nullptr : bias.data();
  const T outside = outside_of<T>(call.op);
  for (std::int64_t n = 0; n < g.batch; ++n) {
    auto planes = [&](std::int64_t group) {
      return padded_planes<T>(call.inputs[0], g.window, (n * g.groups + group) * g.per_group, g.per_group, outside);
    };
    if (g.columns >= few_columns || g.groups == 1) {
      for (std::int64_t group = 0; group < g.groups; ++group) {
        convolve_group(call, g, planes(group).data(), bias_data, n, group);
      }
    } else {
      parallel_for(call.threads, g.groups, [&](std::int64_t group) {
        const std::vector<T> x = planes(group);
        for (std::int64_t k = 0; k < g.columns; ++k) {
          convolve_channel(call, g, x.data(), bias_data, n, group * g.columns + k);
        }
      });
    }
  }
}

void conv(const OperatorCall& call) {
  with_sum_type(call.outputs[0].type, [&](auto zero) { convolve<decltype(zero)>(call); });
}

/// y[n, k, o*stride + r*dilation - pad] += x[n, c, o] * w[c, k, r], scattered from x.
void conv_transpose(const OperatorCall& call) {
  const Shape &xs = call.inputs[0].shape, &ws = call.inputs[1].shape, &ys = call.outputs[0].shape;
  const std::int64_t groups = attribute(call.op, "group", std::int64_t{1});
  // The transposed window slides over y: x is where a forward convolution of y would write.
  const Window window = make_window(call.op, ys, xs, {ws.begin() + 2, ws.end()});
  const std::int64_t in_count = window.out_count(), taps = window.kernel_count();
  const std::int64_t channels = xs[1], per_group = ws[1], out_channels = groups * per_group;
  const auto x = load_as<float>(call.inputs[0]), w = load_as<float>(call.inputs[1]);
  const auto bias = call.has_input(2) ? load_as<float>(call.inputs[2]) : std::vector<float>{};
  const std::int64_t out_count = window.in_count();
  // Where tap r of point o lands, or -1 when it is cut off by the pads.
  std::vector<std::int64_t> landing(static_cast<std::size_t>(in_count * taps));
  for (std::int64_t i = 0; i < in_count * taps; ++i) {
    std::int64_t o = i / taps, r = i % taps, at = 0, scale = 1;
    bool inside = true;
    for (std::size_t d = window.rank(); d-- > 0;) {
      const std::int64_t position =
          o % window.out[d] * window.stride[d] + r % window.kernel[d] * window.dilation[d] - window.pad_begin[d];
      o /= window.out[d];
      r /= window.kernel[d];
      inside = inside && position >= 0 && position < window.in[d];
      at += position * scale;
      scale *= window.in[d];
    }
    landing[static_cast<std::size_t>(i)] = inside ? at : -1;
  }
  parallel_for(call.threads, xs[0] * out_channels, [&](std::int64_t task) {
    const std::int64_t n = task / out_channels, k = task % out_channels, group = k / per_group;
    std::vector<float> y(static_cast<std::size_t>(out_count), bias.empty() ? 0.0f : bias[static_cast<std::size_t>(k)]);
    for (std::int64_t c = group * channels / groups; c < (group + 1) * channels / groups; ++c) {
      const float* weights = &w[static_cast<std::size_t>((c * per_group + k % per_group) * taps)];
      for (std::int64_t i = 0; i < in_count * taps; ++i) {
        const std::int64_t at = landing[static_cast<std::size_t>(i)];
        if (at < 0) continue;
        y[static_cast<std::size_t>(at)] +=
            x[static_cast<std::size_t>((n * channels + c) * in_count + i / taps)] * weights[i % taps];
      }
    }
    store_range<float>(call.outputs[0], task * out_count, y);
  });
}

}  // namespace

void add_convolutions(OperatorTable& table) {
  table["Conv"] = conv;
  table["ConvTranspose"] = conv_transpose;
}

}  // namespace accord::reference
