#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <vector>

#include "compiler/network/parallel.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/window.h"
#include "compiler/reference/window_fold.h"

namespace accord::reference {
namespace {

/// What a window covers of a plane: rows of `run` elements, `step` apart.
struct PoolPoint {
  std::vector<std::int64_t> rows;  ///< index of each row's first element
  std::int64_t run = 1, step = 1;
  std::int64_t count = 1;         ///< elements covered
  std::int64_t padded_count = 1;  ///< with those in declared pads: what count_include_pad counts
};

PoolPoint pool_point(const Window& w, std::int64_t output) {
  PoolPoint point{{0}};
  std::vector<std::int64_t> at(w.rank());
  for (std::size_t d = w.rank(); d-- > 0; output /= w.out[d]) at[d] = output % w.out[d];
  for (std::size_t d = 0; d < w.rank(); ++d) {
    const std::int64_t start = at[d] * w.stride[d] - w.pad_begin[d];
    const Taps taps = taps_within(start, w.dilation[d], w.kernel[d], w.in[d]);
    point.run = taps.count();
    point.step = w.dilation[d];
    point.count *= taps.count();
    point.padded_count *=
        taps_within(start + w.pad_begin[d], w.dilation[d], w.kernel[d], w.pad_begin[d] + w.in[d] + w.pad_end[d])
            .count();
    std::vector<std::int64_t> finer;
    const std::int64_t rows = d + 1 < w.rank() ? taps.count() : 1;
    for (const std::int64_t row : point.rows) {
      for (std::int64_t t = taps.first; t < taps.first + rows; ++t)
        finer.push_back(row * w.in[d] + start + t * w.dilation[d]);
    }
    point.rows = std::move(finer);
  }
  return point;
}

template <typename T>
using Reduce = std::function<T(const T* plane, const PoolPoint& point)>;

/// `reduce` of the mapped elements. A window's place is found once for several planes; all places of large windows
/// would take far more memory than they.
template <typename T, typename Map>
void pool(const OperatorCall& call, const Map& map, const Reduce<T>& reduce) {
  constexpr std::int64_t together = 32;  // planes
  const Window window = pool_window(call);
  const std::int64_t planes = call.inputs[0].shape[0] * call.inputs[0].shape[1];
  const std::int64_t size = window.in_count(), results = window.out_count();
  parallel_ranges(call.threads, planes, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += together) {
      const std::int64_t count = std::min(together, end - first);
      std::vector<T> x(static_cast<std::size_t>(count * size)), y(static_cast<std::size_t>(count * results));
      load_range(call.inputs[0], first * size, count * size, x.data());
      std::ranges::transform(x, x.begin(), map);
      for (std::int64_t o = 0; o < results; ++o) {
        const PoolPoint point = pool_point(window, o);
        for (std::int64_t p = 0; p < count; ++p) y[p * results + o] = reduce(x.data() + p * size, point);
      }
      store_range<T>(call.outputs[0], first * results, y);
    }
  });
}

/// In the elements' order: sums of floats depend on it.
template <typename T>
T sum_of(const T* x, const PoolPoint& point) {
  T sum{};
  for (const std::int64_t row : point.rows) {
    for (std::int64_t i = 0; i < point.run; ++i) sum += x[row + i * point.step];
  }
  return sum;
}

void average_pool(const OperatorCall& call) {
  const bool include_pad = attribute(call.op, "count_include_pad", std::int64_t{0}) != 0;
  pool<float>(call, std::identity(), [include_pad](const float* x, const PoolPoint& point) {
    const auto count = include_pad ? point.padded_count : point.count;
    return sum_of(x, point) / static_cast<float>(std::max<std::int64_t>(count, 1));
  });
}

/// The p-th root of the sum of p-th powers of magnitudes.
void lp_pool(const OperatorCall& call) {
  const auto p = static_cast<float>(attribute(call.op, "p", std::int64_t{2}));
  pool<float>(
      call, [p](float x) { return std::pow(std::abs(x), p); },
      [p](const float* x, const PoolPoint& point) { return std::pow(sum_of(x, point), 1 / p); });
}

template <typename T>
void sum_windows(const OperatorCall& call, T outside) {
  pool<T>(call, std::identity(), [outside](const T* x, const PoolPoint& point) {
    return sum_of(x, point) + outside * static_cast<T>(point.padded_count - point.count);
  });
}

/// Sums that wrap may be made in any order.
template <std::unsigned_integral T>
void sum_windows(const OperatorCall& call, T outside) {
  const Window window = pool_window(call);
  const std::int64_t size = window.in_count(), results = window.out_count();
  std::vector<T> pads(static_cast<std::size_t>(results), 0);
  for (std::int64_t o = 0; outside != 0 && o < results; ++o) {
    const PoolPoint point = pool_point(window, o);
    pads[o] = outside * static_cast<T>(point.padded_count - point.count);
  }
  const std::int64_t planes = call.inputs[0].shape[0] * call.inputs[0].shape[1];
  parallel_for(call.threads, planes, [&](std::int64_t plane) {
    std::vector<T> x(static_cast<std::size_t>(size));
    load_range(call.inputs[0], plane * size, size, x.data());
    std::vector<T> sums = fold_windows(window, std::move(x), T{0}, std::plus<T>());
    std::ranges::transform(sums, pads, sums.begin(), std::plus<T>());
    store_range<T>(call.outputs[0], plane * results, sums);
  });
}

/// With what padding holds, and a start per channel.
template <typename T>
void sum_pool_as(const OperatorCall& call) {
  sum_windows(call, outside_of<T>(call.op));
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
  table["AveragePool"] = table["GlobalAveragePool"] = average_pool;
  table["LpPool"] = table["GlobalLpPool"] = lp_pool;
  table["SumPool"] = sum_pool;
}

}  // namespace accord::reference
