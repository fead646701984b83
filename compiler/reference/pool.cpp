#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "compiler/network/parallel.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/window.h"

namespace accord::reference {
namespace {

/// Range of taps along one dimension that fall inside the plane, for output position `o`.
struct Taps {
  std::int64_t first = 0, last = 0;  ///< last is exclusive
};

Taps inside_taps(const Window& w, std::size_t d, std::int64_t o) {
  const std::int64_t start = o * w.stride[d] - w.pad_begin[d];
  Taps taps{0, w.kernel[d]};
  while (taps.first < taps.last && start + taps.first * w.dilation[d] < 0) ++taps.first;
  while (taps.last > taps.first && start + (taps.last - 1) * w.dilation[d] >= w.in[d]) --taps.last;
  return taps;
}

/// Taps that lie in the plane or its declared pads: what count_include_pad counts.
std::int64_t padded_taps(const Window& w, std::size_t d, std::int64_t o) {
  const std::int64_t start = o * w.stride[d] - w.pad_begin[d];
  std::int64_t count = w.kernel[d];
  while (count > 0 && start + (count - 1) * w.dilation[d] >= w.in[d] + w.pad_end[d]) --count;
  return count;
}

struct PoolPoint {
  std::vector<std::int64_t> inputs;  ///< plane indices that the window covers
  std::int64_t padded_count = 1;
};

PoolPoint pool_point(const Window& w, std::int64_t output) {
  PoolPoint point{{0}, 1};
  std::vector<std::int64_t> at(w.rank());
  for (std::size_t d = w.rank(); d-- > 0; output /= w.out[d]) at[d] = output % w.out[d];
  for (std::size_t d = 0; d < w.rank(); ++d) {
    const Taps taps = inside_taps(w, d, at[d]);
    std::vector<std::int64_t> finer;
    for (std::int64_t index : point.inputs) {
      for (std::int64_t t = taps.first; t < taps.last; ++t) {
        finer.push_back(index * w.in[d] + at[d] * w.stride[d] - w.pad_begin[d] + t * w.dilation[d]);
      }
    }
    point.inputs = std::move(finer);
    point.padded_count *= padded_taps(w, d, at[d]);
  }
  return point;
}

Window pool_window(const OperatorCall& call) {
  const Shape& x = call.inputs[0].shape;
  const Shape spatial(x.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(x.size())), x.end());
  const bool global = call.op.type.starts_with("Global");
  return make_window(call.op, x, call.outputs[0].shape,
                     global ? spatial : attribute(call.op, "kernel_shape", std::vector<std::int64_t>{}));
}

template <typename T>
using Reduce = std::function<T(const T* plane, const PoolPoint& point)>;

/// A window's place is found once for several planes; all places of large windows would take far more memory than they.
template <typename T>
void pool(const OperatorCall& call, const Reduce<T>& reduce) {
  constexpr std::int64_t together = 32;  // planes
  const Window window = pool_window(call);
  const std::int64_t planes = call.inputs[0].shape[0] * call.inputs[0].shape[1];
  const std::int64_t size = window.in_count(), results = window.out_count();
  parallel_ranges(call.threads, planes, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += together) {
      const std::int64_t count = std::min(together, end - first);
      std::vector<T> x(static_cast<std::size_t>(count * size)), y(static_cast<std::size_t>(count * results));
      load_range(call.inputs[0], first * size, count * size, x.data());
      for (std::int64_t o = 0; o < results; ++o) {
        const PoolPoint point = pool_point(window, o);
        for (std::int64_t p = 0; p < count; ++p) y[p * results + o] = reduce(x.data() + p * size, point);
      }
      store_range<T>(call.outputs[0], first * results, y);
    }
  });
}

template <typename T>
T sum_of(const T* x, const PoolPoint& point) {
  T sum{};
  for (std::int64_t i : point.inputs) sum += x[i];
  return sum;
}

template <typename T>
T max_of(const T* x, const PoolPoint& point) {
  T best =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  for (std::int64_t i : point.inputs) best = x[i] > best ? x[i] : best;
  return best;
}

/// Index of the maximum in the whole tensor, as MaxPool's second output wants it; row- or column-major in the plane.
void max_indices(const OperatorCall& call) {
  const Window window = pool_window(call);
  const bool column_major = attribute(call.op, "storage_order", std::int64_t{0}) != 0 && window.rank() == 2;
  const auto x = load_as<float>(call.inputs[0]);
  const std::int64_t size = window.in_count(), out = window.out_count();
  std::vector<std::int64_t> indices(count_of(call.outputs[1].shape));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t plane = static_cast<std::int64_t>(i) / out;
    const float* values = x.data() + plane * size;
    const auto points = pool_point(window, static_cast<std::int64_t>(i) % out).inputs;
    const auto best = std::ranges::max_element(points, [&](auto a, auto b) { return values[a] < values[b]; });
    std::int64_t at = best == points.end() ? 0 : *best;
    if (column_major) at = at % window.in[1] * window.in[0] + at / window.in[1];
    indices[i] = plane * size + at;
  }
  store_all(call.outputs[1], indices);
}

void max_pool(const OperatorCall& call) {
  if (is_float(call.outputs[0].type)) {
    pool<float>(call, max_of<float>);
  } else {
    pool<std::int64_t>(call, max_of<std::int64_t>);
  }
  if (call.outputs.size() > 1 && !call.outputs[1].data.empty()) max_indices(call);
}

void average_pool(const OperatorCall& call) {
  const bool include_pad = attribute(call.op, "count_include_pad", std::int64_t{0}) != 0;
  pool<float>(call, [include_pad](const float* x, const PoolPoint& point) {
    const auto count = include_pad ? point.padded_count : static_cast<std::int64_t>(point.inputs.size());
    return sum_of(x, point) / static_cast<float>(std::max<std::int64_t>(count, 1));
  });
}

/// The p-th root of the sum of p-th powers of magnitudes.
void lp_pool(const OperatorCall& call) {
  const auto p = static_cast<float>(attribute(call.op, "p", std::int64_t{2}));
  pool<float>(call, [p](const float* x, const PoolPoint& point) {
    float sum = 0;
    for (const std::int64_t i : point.inputs) sum += std::pow(std::abs(x[i]), p);
    return std::pow(sum, 1 / p);
  });
}

/// With what padding holds, and a start per channel.
template <typename T>
void sum_pool_as(const OperatorCall& call) {
  const T outside = outside_of<T>(call.op);
  pool<T>(call, [outside](const T* x, const PoolPoint& point) {
    const auto beyond = point.padded_count - static_cast<std::int64_t>(point.inputs.size());
    return sum_of(x, point) + outside * static_cast<T>(beyond);
  });
  if (!call.has_input(1)) return;
  const std::vector<T> bias = load_as<T>(call.inputs[1]);
  std::vector<T> sums = load_as<T>(view(call.outputs[0]));
  const std::size_t plane = sums.size() / (call.outputs[0].shape[0] * bias.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += bias[i / plane % bias.size()];
  store_all(call.outputs[0], sums);
}

void sum_pool(const OperatorCall& call) {
  with_sum_type(call.outputs[0].type, [&](auto zero) { sum_pool_as<decltype(zero)>(call); });
}

}  // namespace

void add_pools(OperatorTable& table) {
  table["MaxPool"] = table["GlobalMaxPool"] = max_pool;
  table["AveragePool"] = table["GlobalAveragePool"] = average_pool;
  table["LpPool"] = table["GlobalLpPool"] = lp_pool;
  table["SumPool"] = sum_pool;
}

}  // namespace accord::reference
