// Operators that take or put elements where indices say.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

using Ints = std::vector<std::int64_t>;

std::int64_t wrapped(std::int64_t index, std::int64_t extent) {
  if (index >= -extent && index < extent) return index < 0 ? index + extent : index;
  throw Error("index " + std::to_string(index) + " is out of range");
}

/// Calls fn with a 0 of a type that holds the elements.
template <typename Fn>
void with_element(ElementType type, Fn&& fn) {
  is_float(type) ? fn(float{}) : fn(std::int64_t{});
}

/// For every element of `indices`: where the element that it names along `axis` lies in a tensor of `shape`.
Ints places_along(const Operator& op, const TensorView& indices, const Shape& shape) {
  const std::size_t axis = normalise_axis(attribute(op, "axis", std::int64_t{0}), shape.size());
  Ints strides = row_major_strides(shape);
  const std::int64_t step = std::exchange(strides[axis], 0);
  Ints places = strided_indices(indices.shape, strides);
  const auto at = load_as<std::int64_t>(indices);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += wrapped(at[i], shape[axis]) * step;
  return places;
}

/// For every tuple of `indices` and every element of what it leaves of `shape`: where that lies.
Ints places_of_tuples(const TensorView& indices, const Shape& shape, std::size_t batches) {
  const auto length = static_cast<std::size_t>(indices.shape.back());
  const Ints strides = row_major_strides(shape);
  const auto at = load_as<std::int64_t>(indices);
  const std::int64_t part = element_count({shape.begin() + static_cast<std::ptrdiff_t>(batches + length), shape.end()});
  const std::int64_t batch_count = element_count({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(batches)});
  const std::size_t tuples = at.size() / length, per_batch = tuples / static_cast<std::size_t>(batch_count);
  const std::int64_t batch_step = element_count(shape) / batch_count;
  Ints places;
  places.reserve(tuples * static_cast<std::size_t>(part));
  for (std::size_t t = 0; t < tuples; ++t) {
    std::int64_t first = static_cast<std::int64_t>(t / per_batch) * batch_step;
    for (std::size_t i = 0; i < length; ++i) {
      first += wrapped(at[t * length + i], shape[batches + i]) * strides[batches + i];
    }
    for (std::int64_t e = 0; e < part; ++e) places.push_back(first + e);
  }
  return places;
}

void gather_nd(const OperatorCall& call) {
  const TensorView& x = call.inputs[0];
  const auto batches = static_cast<std::size_t>(attribute(call.op, "batch_dims", std::int64_t{0}));
  const Ints places = places_of_tuples(call.inputs[1], x.shape, batches);
  with_element(x.type, [&](auto zero) {
    const auto values = load_as<decltype(zero)>(x);
    std::vector<decltype(zero)> y(places.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = values[static_cast<std::size_t>(places[i])];
    store_all(call.outputs[0], y);
  });
}

template <typename T>
T combined(const std::string& reduction, T old, T value) {
  if (reduction == "add") return old + value;
  if (reduction == "max") return old > value ? old : value;
  if (reduction == "min") return old < value ? old : value;
  return value;
}

/// Puts the updates (input 2) to their places in a copy of x, in order.
void scatter(const OperatorCall& call, const Ints& places) {
  const auto reduction = attribute(call.op, "reduction", std::string("none"));
  with_element(call.inputs[0].type, [&](auto zero) {
    auto y = load_as<decltype(zero)>(call.inputs[0]);
    const auto updates = load_as<decltype(zero)>(call.inputs[2]);
    for (std::size_t i = 0; i < places.size(); ++i) {
      auto& element = y[static_cast<std::size_t>(places[i])];
      element = combined(reduction, element, updates[i]);
    }
    store_all(call.outputs[0], y);
  });
}

void scatter_elements(const OperatorCall& call) {
  scatter(call, places_along(call.op, call.inputs[1], call.inputs[0].shape));
}

void scatter_nd(const OperatorCall& call) { scatter(call, places_of_tuples(call.inputs[1], call.inputs[0].shape, 0)); }

/// values[1] where the position along `axis` is the index, values[0] elsewhere.
void one_hot(const OperatorCall& call) {
  const Shape& shape = call.outputs[0].shape;
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{-1}), shape.size());
  const std::int64_t inner = row_major_strides(shape)[axis], depth = shape[axis];
  const auto indices = load_as<std::int64_t>(call.inputs[0]);
  const auto values = load_as<double>(call.inputs[1]);
  std::vector<double> y(count_of(shape), values[0]);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i] < 0 ? indices[i] + depth : indices[i];
    if (index < 0 || index >= depth) continue;
    const auto at = static_cast<std::int64_t>(i);
    y[static_cast<std::size_t>((at / inner * depth + index) * inner + at % inner)] = values[1];
  }
  store_all(call.outputs[0], y);
}

/// Positions of the greatest (or least) elements of each line along `axis`; of equal ones the first comes first.
template <typename T>
Ints leading_positions(const OperatorCall& call, const Shape& result) {
  const Shape& shape = call.inputs[0].shape;
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{-1}), shape.size());
  const bool largest = attribute(call.op, "largest", std::int64_t{1}) != 0;
  const std::int64_t inner = row_major_strides(shape)[axis], length = shape[axis], k = result[axis];
  const auto x = load_as<T>(call.inputs[0]);
  Ints y(count_of(result)), order(static_cast<std::size_t>(length));
  for (std::int64_t line = 0; line < element_count(shape) / length; ++line) {
    const T* first = x.data() + line / inner * inner * length + line % inner;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      return largest ? first[b * inner] < first[a * inner] : first[a * inner] < first[b * inner];
    });
    for (std::int64_t i = 0; i < k; ++i) {
      y[static_cast<std::size_t>((line / inner * k + i) * inner + line % inner)] = order[static_cast<std::size_t>(i)];
    }
  }
  return y;
}

Ints leading_positions(const OperatorCall& call, const Shape& result) {
  return is_float(call.inputs[0].type) ? leading_positions<float>(call, result)
                                       : leading_positions<std::int64_t>(call, result);
}

void top_positions(const OperatorCall& call) {
  store_all(call.outputs[0], leading_positions(call, call.outputs[0].shape));
}

void top_k(const OperatorCall& call) {
  Value positions = call.outputs[call.has_output(1) ? 1 : 0];
  const Ints found = leading_positions(call, positions.shape);
  if (call.has_output(1)) store_all(call.outputs[1], found);
  if (call.outputs[0].data.empty()) return;
  positions = {ElementType::i64, positions.shape, std::vector<std::byte>(found.size() * sizeof found[0])};
  store_all(positions, found);
  const Ints places = places_along(call.op, view(positions), call.inputs[0].shape);
  with_element(call.inputs[0].type, [&](auto zero) {
    const auto x = load_as<decltype(zero)>(call.inputs[0]);
    std::vector<decltype(zero)> y(places.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[static_cast<std::size_t>(places[i])];
    store_all(call.outputs[0], y);
  });
}

}  // namespace

void add_selection(OperatorTable& table) {
  table["GatherND"] = gather_nd;
  table["ScatterElements"] = table["Scatter"] = scatter_elements;
  table["ScatterND"] = scatter_nd;
  table["OneHot"] = one_hot;
  table["TopK"] = top_k;
  table["TopPositions"] = top_positions;
}

}  // namespace accord::reference
