#pragma once

#include <map>
#include <string>
#include <utility>

#include "compiler/network/operator_list.h"

namespace accord {

/// One side of a product of bytes: `x` is i8, `zero` (i32) broadcasts to it and is absent where it is 0.
struct IntegerFactor {
  TensorId x = no_tensor, zero = no_tensor;
};

/// Brings the operands of MatMulInteger and ConvInteger to i8. What is u8 counts from 128 on, like its zero point.
class IntegerFactors {
 public:
  explicit IntegerFactors(Network& network) : network_(network) {}

  /// `zero_shape`: how a zero point of several numbers lies along x. Constants take constant zero points into
  /// themselves where i8 holds the difference.
  IntegerFactor factor(OperatorList& list, const std::string& what, TensorId x, TensorId zero, const Shape& zero_shape);

  /// x as i8, less 128 where it is u8.
  TensorId as_signed(OperatorList& list, const std::string& what, TensorId x);

  /// x - zero as i32.
  TensorId centred(OperatorList& list, const std::string& what, const IntegerFactor& factor);

  bool is_constant(TensorId id) const { return id != no_tensor && network_.tensor(id).is_constant(); }

 private:
  TensorId converted(OperatorList& list, const std::string& what, TensorId id, ElementType type);
  TensorId zero_point(OperatorList& list, const std::string& what, TensorId x, TensorId zero, const Shape& zero_shape);
  IntegerFactor absorbed(const IntegerFactor& factor);

  Network& network_;
  std::map<std::pair<TensorId, ElementType>, TensorId> converted_;  ///< once for all who ask
};

}  // namespace accord
