#include "compiler/numerics/reduced_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

/// Greatest magnitudes of rows: `at` is where the value stands, `row` which row it is in.
class Rows {
 public:
  Rows(std::span<const std::byte> values, const Shape& shape, const std::vector<bool>& axes)
      : values_(values), shape_(shape), steps_(shape.size()) {
    std::int64_t rows = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      steps_[d] = axes[d] ? 0 : rows;
      if (!axes[d]) rows *= shape[d];
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

/// Whether each result is the mean of all that its channel has.
bool pools_plane(const Network& network, const Operator& pool) {
  const std::int64_t count = constant_pool_count(network, pool);
  const Shape &x = network.tensor(pool.inputs[0]).shape, &y = network.tensor(pool.outputs[0]).shape;
  return count > 1 && element_count(x) == count * element_count(y);
}

}  // namespace

bool reduces_rows(const Network& network, const Operator& op) {
  if (op.type == "AveragePool") return pools_plane(network, op);
  return op.type == "ReduceMean" || op.type == "ReduceSum" || op.type == "ReduceSumSquare";
}

std::vector<bool> reduced_axes(const Operator& op, std::size_t rank) {
  if (op.type == "AveragePool") {
    std::vector<bool> plane(rank, true);
    std::fill_n(plane.begin(), 2, false);
    return plane;
  }
  std::vector<bool> result(rank, op.attributes.count("axes") == 0);
  for (const std::int64_t axis : attribute(op, "axes", std::vector<std::int64_t>{}))
    result[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] = true;
  return result;
}

double low_row(std::span<const std::byte> fp32_values, const Shape& shape, const std::vector<bool>& axes) {
  std::vector<float> rows = Rows(fp32_values, shape, axes).take();
  std::erase(rows, 0.0F);
  if (rows.empty()) return INFINITY;
  const auto tenth = rows.begin() + std::ssize(rows) / 10;
  std::ranges::nth_element(rows, tenth);
  return *tenth;
}

}  // namespace accord::numerics
