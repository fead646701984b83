#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

using Ints = std::vector<std::int64_t>;

/// Offsets of the results and, within each, of what is reduced.
struct ReductionSpace {
  Ints results, members;
};

ReductionSpace reduction_space(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  Ints all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<bool> reduced(shape.size());
  for (std::int64_t axis : attribute(call.op, "axes", all)) reduced[normalise_axis(axis, shape.size())] = true;
  const Ints strides = row_major_strides(shape);
  Shape kept_shape, reduced_shape;
  Ints kept_strides, reduced_strides;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    (reduced[d] ? reduced_shape : kept_shape).push_back(shape[d]);
    (reduced[d] ? reduced_strides : kept_strides).push_back(strides[d]);
  }
  return {strided_indices(kept_shape, kept_strides), strided_indices(reduced_shape, reduced_strides)};
}

template <typename T, typename Step, typename Finish>
void reduce(const OperatorCall& call, T start, Step step, Finish finish) {
  const ReductionSpace space = reduction_space(call);
  const auto x = load_as<T>(call.inputs[0]);
  std::vector<T> y;
  for (std::int64_t result : space.results) {
    T value = start;
    for (std::int64_t member : space.members) value = step(value, x[static_cast<std::size_t>(result + member)]);
    y.push_back(finish(value, static_cast<T>(space.members.size())));
  }
  store_all(call.outputs[0], y);
}

/// `step(so far, element)` from `start`, then `finish(sum, count)`; integers and floats alike.
template <typename Step, typename Finish>
OperatorFunction reduction(double start, Step step, Finish finish) {
  return [=](const OperatorCall& call) {
    if (is_float(call.inputs[0].type)) return reduce<float>(call, static_cast<float>(start), step, finish);
    // Integer results are exact in double for every value that a network holds (below 2^53).
    reduce<double>(call, start, step, [&](double value, double count) { return std::trunc(finish(value, count)); });
  };
}

/// exp-sum in the numerically safe form, as frameworks compute it.
void log_sum_exp(const OperatorCall& call) {
  const ReductionSpace space = reduction_space(call);
  const auto x = load_as<float>(call.inputs[0]);
  std::vector<float> y;
  for (std::int64_t result : space.results) {
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (std::int64_t m : space.members) largest = std::max(largest, x[static_cast<std::size_t>(result + m)]);
    for (std::int64_t m : space.members) sum += std::exp(x[static_cast<std::size_t>(result + m)] - largest);
    y.push_back(largest + std::log(sum));
  }
  store_all(call.outputs[0], y);
}

/// Index of the extreme along one axis; `sign` -1 turns the maximum into the minimum.
OperatorFunction index_of_extreme(double sign) {
  return [sign](const OperatorCall& call) {
    const Shape& shape = call.inputs[0].shape;
    const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), shape.size());
    const bool last = attribute(call.op, "select_last_index", std::int64_t{0}) != 0;
    const std::int64_t inner = row_major_strides(shape)[axis], length = shape[axis];
    const auto x = load_as<double>(call.inputs[0]);
    std::vector<std::int64_t> y;
    for (std::int64_t i = 0; i < element_count(shape) / std::max<std::int64_t>(1, length); ++i) {
      const double* line = x.data() + i / inner * inner * length + i % inner;
      std::int64_t best = 0;
      for (std::int64_t l = 1; l < length; ++l) {
        const double a = sign * line[l * inner], b = sign * line[best * inner];
        if (a > b || (last && a == b)) best = l;
      }
      y.push_back(best);
    }
    store_all(call.outputs[0], y);
  };
}

template <typename T>
void cumulative_sum(const OperatorCall& call) {
  const Shape& shape = call.inputs[0].shape;
  const std::size_t axis = normalise_axis(attribute(call.op, "axis", std::int64_t{0}), shape.size());
  const bool exclusive = attribute(call.op, "exclusive", std::int64_t{0}) != 0;
  const bool reverse = attribute(call.op, "reverse", std::int64_t{0}) != 0;
  const std::int64_t inner = row_major_strides(shape)[axis], length = shape[axis];
  auto values = load_as<T>(call.inputs[0]);
  for (std::int64_t i = 0; i < element_count(shape) / std::max<std::int64_t>(1, length); ++i) {
    T* line = values.data() + i / inner * inner * length + i % inner;
    T sum = 0;
    for (std::int64_t l = 0; l < length; ++l) {
      T& value = line[(reverse ? length - 1 - l : l) * inner];
      const T next = sum + value;
      value = exclusive ? sum : next;
      sum = next;
    }
  }
  store_all(call.outputs[0], values);
}

void cumulative_sum_any(const OperatorCall& call) {
  with_sum_type(call.outputs[0].type, [&](auto zero) { cumulative_sum<decltype(zero)>(call); });
}

}  // namespace

void add_reductions(OperatorTable& table) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto add = [](auto a, auto b) { return a + b; };
  auto add_square = [](auto a, auto b) { return a + b * b; };
  auto as_is = [](auto value, auto) { return value; };
  table["ReduceSum"] = reduction(0, add, as_is);
  table["ReduceMean"] = reduction(0, add, [](auto sum, auto count) { return sum / count; });
  table["ReduceMax"] = reduction(
      -infinity, [](auto a, auto b) { return a < b ? b : a; }, as_is);
  table["ReduceMin"] = reduction(
      infinity, [](auto a, auto b) { return b < a ? b : a; }, as_is);
  table["ReduceProd"] = reduction(
      1, [](auto a, auto b) { return a * b; }, as_is);
  table["ReduceL1"] = reduction(
      0, [](auto a, auto b) { return a + std::abs(b); }, as_is);
  table["ReduceL2"] = reduction(0, add_square, [](auto sum, auto) { return std::sqrt(sum); });
  table["ReduceSumSquare"] = reduction(0, add_square, as_is);
  table["ReduceLogSum"] = reduction(0, add, [](auto sum, auto) { return std::log(sum); });
  table["ReduceLogSumExp"] = log_sum_exp;
  table["CumSum"] = cumulative_sum_any;
  table["ArgMax"] = index_of_extreme(1);
  table["ArgMin"] = index_of_extreme(-1);
}

}  // namespace accord::reference
