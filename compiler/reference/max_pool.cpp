#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/network/parallel.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/window.h"
#include "compiler/reference/window_fold.h"

namespace accord::reference {
namespace {

template <typename T>
constexpr T least_element = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                 : std::numeric_limits<T>::lowest();

/// An element and its place in the plane; the first of equals wins.
template <typename T>
struct Placed {
  T value = least_element<T>;
  std::int64_t at = -1;  ///< -1: of no element

  bool beats(const Placed& other) const { return at >= 0 && (other.at < 0 || value > other.value); }
};

/// A NaN never wins.
template <typename T>
std::vector<T> comparable_plane(const TensorView& x, std::int64_t first, std::int64_t count) {
  std::vector<T> plane(static_cast<std::size_t>(count));
  load_range(x, first, count, plane.data());
  if constexpr (std::is_floating_point_v<T>) {
    for (T& element : plane) element = std::isnan(element) ? least_element<T> : element;
  }
  return plane;
}

template <typename T>
std::vector<T> maxima(const Window& window, std::vector<T> plane) {
  return fold_windows(window, std::move(plane), least_element<T>, [](T a, T b) { return b > a ? b : a; });
}

template <typename T>
std::vector<Placed<T>> placed_maxima(const Window& window, const std::vector<T>& plane) {
  std::vector<Placed<T>> placed;
  placed.reserve(plane.size());
  for (const T value : plane) placed.push_back({value, static_cast<std::int64_t>(placed.size())});
  return fold_windows(window, std::move(placed), Placed<T>{},
                      [](const Placed<T>& a, const Placed<T>& b) { return b.beats(a) ? b : a; });
}

/// Index of the maximum in the whole tensor, as MaxPool's second output wants it; row- or column-major in the plane.
template <typename T>
void store_indices(const OperatorCall& call, const Window& window, std::int64_t plane,
                   const std::vector<Placed<T>>& maxima) {
  const bool column_major = attribute(call.op, "storage_order", std::int64_t{0}) != 0 && window.rank() == 2;
  std::vector<std::int64_t> indices;
  for (const Placed<T>& maximum : maxima) {
    std::int64_t at = std::max<std::int64_t>(maximum.at, 0);
    if (column_major) at = at % window.in[1] * window.in[0] + at / window.in[1];
    indices.push_back(plane * window.in_count() + at);
  }
  store_range<std::int64_t>(call.outputs[1], plane * window.out_count(), indices);
}

template <typename T>
void max_pool_as(const OperatorCall& call) {
  const Window window = pool_window(call);
  const bool indices = call.has_output(1);
  const std::int64_t planes = call.inputs[0].shape[0] * call.inputs[0].shape[1], size = window.in_count();
  parallel_for(call.threads, planes, [&](std::int64_t plane) {
    const std::vector<T> x = comparable_plane<T>(call.inputs[0], plane * size, size);
    store_range<T>(call.outputs[0], plane * window.out_count(), maxima(window, x));
    if (indices) store_indices(call, window, plane, placed_maxima(window, x));
  });
}

void max_pool(const OperatorCall& call) {
  is_float(call.outputs[0].type) ? max_pool_as<float>(call) : max_pool_as<std::int64_t>(call);
}

}  // namespace

void add_max_pools(OperatorTable& table) { table["MaxPool"] = table["GlobalMaxPool"] = max_pool; }

}  // namespace accord::reference
