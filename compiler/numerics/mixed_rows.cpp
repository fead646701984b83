#include "compiler/numerics/mixed_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace accord::numerics {
namespace {

std::vector<bool> reduced_axes(const Operator& op, std::size_t rank) {
  std::vector<bool> result(rank, op.attributes.count("axes") == 0);
  for (const std::int64_t axis : attribute(op, "axes", std::vector<std::int64_t>{}))
    result[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] = true;
  return result;
}

/// Of a product's two factors: the one axis that it sums over.
std::size_t summed_axis(const Operator& op, std::size_t input, std::size_t rank) {
  if (op.type == "MatMul") return input == 0 || rank == 1 ? rank - 1 : rank - 2;
  const bool transposed = attribute(op, input == 0 ? "transA" : "transB", std::int64_t{0}) != 0;
  return (input == 0) == transposed ? 0 : 1;
}

bool sees_whole_planes(const Network& network, const Operator& pool) {
  return element_count(network.tensor(pool.outputs[0]).shape) ==
         network.tensor(pool.inputs[0]).shape[0] * network.tensor(pool.inputs[0]).shape[1];
}

/// Greatest magnitudes of rows: `at` is where the value stands, `row` which row it is in.
class Rows {
 public:
  Rows(std::span<const std::byte> values, const Shape& shape, const std::vector<bool>& mixed)
      : values_(values), shape_(shape), steps_(shape.size()) {
    std::int64_t rows = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      steps_[d] = mixed[d] ? 0 : rows;
      if (!mixed[d]) rows *= shape[d];
    }
    greatest_.resize(static_cast<std::size_t>(rows));
  }

  std::vector<float> take() {
    std::size_t at = 0;
    visit(0, at, 0);
    return std::move(greatest_);
  }

 private:
  void visit(std::size_t dim, std::size_t& at, std::int64_t row) {
    if (dim + 1 < shape_.size()) {
      for (std::int64_t i = 0; i < shape_[dim]; ++i) visit(dim + 1, at, row + i * steps_[dim]);
      return;
    }
    for (std::int64_t i = 0; i < shape_[dim]; ++i) {
      float& greatest = greatest_[static_cast<std::size_t>(row + i * steps_[dim])];
      float value;
      std::memcpy(&value, values_.data() + at++ * sizeof value, sizeof value);
      greatest = std::max(greatest, std::abs(value));
    }
  }

  std::span<const std::byte> values_;
  const Shape& shape_;
  std::vector<std::int64_t> steps_;
  std::vector<float> greatest_;
};

}  // namespace

std::vector<bool> mixed_axes(const Network& network, const Operator& op, std::size_t input) {
  const std::size_t rank = network.tensor(op.inputs[input]).shape.size();
  std::vector<bool> result(rank, false);
  if (op.type == "ReduceMean" || op.type == "ReduceSum" || op.type == "ReduceSumSquare") return reduced_axes(op, rank);
  if (op.type == "AveragePool" && sees_whole_planes(network, op)) {
    std::fill(result.begin() + 2, result.end(), true);
  } else if (op.type == "Conv" && input == 0 && attribute(op, "group", std::int64_t{1}) == 1) {
    result[1] = true;
  } else if ((op.type == "Gemm" || op.type == "MatMul") && input < 2 && rank > 0) {
    result[summed_axis(op, input, rank)] = true;
  }
  return result;
}

double low_row(std::span<const std::byte> fp32_values, const Shape& shape, const std::vector<bool>& mixed) {
  std::vector<float> rows = Rows(fp32_values, shape, mixed).take();
  std::erase(rows, 0.0F);
  if (rows.empty()) return INFINITY;
  const auto tenth = rows.begin() + std::ssize(rows) / 10;
  std::ranges::nth_element(rows, tenth);
  return *tenth;
}

}  // namespace accord::numerics
