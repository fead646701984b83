#pragma once

#include <vector>

#include "compiler/network/network.h"
#include "tests/unit/numerics/network_builder.h"

namespace accord {

/// A quantised model of int8 with zero points.
class RoundedModel {
 public:
  Builder b;

  TensorId number(float value) { return b.constant({}, {value}); }

  /// What integers of that scale stand for.
  TensorId weights(const Shape& shape, const std::vector<std::int8_t>& integers, float scale) {
    return b.add("DequantizeLinear", {b.constant(make_constant("w", shape, integers)), number(scale)}, shape);
  }

  /// Through a pair of quantisers.
  TensorId rounded(TensorId x, const Shape& shape, float step, int zero = 0) {
    const TensorId scale = number(step), middle = b.integer(zero);
    const TensorId integers = b.add_typed("QuantizeLinear", {x, scale, middle}, ElementType::i8, shape);
    return b.add("DequantizeLinear", {integers, scale, middle}, shape);
  }
};

}  // namespace accord
