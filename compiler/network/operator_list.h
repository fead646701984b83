#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// The shape that tensors of these two, which broadcast, have together.
Shape joined(Shape a, Shape b);

/// Appends fp32 operators to a list that will replace the network's; names begin with that of the operator they stand
/// for.
class OperatorList {
 public:
  OperatorList(Network& network, std::string prefix, std::vector<Operator>& operators)
      : network_(network), prefix_(std::move(prefix)), operators_(operators) {}

  const Shape& shape(TensorId id) const { return network_.tensor(id).shape; }

  /// Adds an operator with one result, which is new unless `result` says where it goes.
  TensorId add(const std::string& type, const std::string& what, std::vector<TensorId> inputs, Shape shape,
               std::map<std::string, Attribute> attributes = {}, TensorId result = no_tensor);

  /// The same with a result of another type.
  TensorId add_typed(ElementType element, const std::string& type, const std::string& what,
                     std::vector<TensorId> inputs, Shape shape, std::map<std::string, Attribute> attributes = {},
                     TensorId result = no_tensor);

  /// The same of something that only moves elements of its first input, of whatever type.
  TensorId move(const std::string& type, const std::string& what, std::vector<TensorId> inputs, Shape shape,
                std::map<std::string, Attribute> attributes) {
    const ElementType element = network_.tensor(inputs.front()).type;
    return add_typed(element, type, what, std::move(inputs), std::move(shape), std::move(attributes));
  }

  TensorId reshape(const std::string& what, TensorId x, Shape shape, TensorId result = no_tensor);

  /// A parameter in another shape; a constant stays one.
  TensorId in_shape(const std::string& what, TensorId id, const Shape& shape);

  /// Elements first .. first + count - 1 along an axis.
  TensorId slice(const std::string& what, TensorId x, std::int64_t axis, std::int64_t first, std::int64_t count);

  /// Two operands of equal shape, or a second one that broadcasts to the first.
  TensorId binary(const std::string& type, const std::string& what, TensorId a, TensorId b,
                  TensorId result = no_tensor) {
    return add(type, what, {a, b}, shape(a), {}, result);
  }
  TensorId unary(const std::string& type, const std::string& what, TensorId x, TensorId result = no_tensor) {
    return add(type, what, {x}, shape(x), {}, result);
  }

  TensorId constant(const std::string& what, Shape shape, const std::vector<float>& values);
  TensorId scalar(const std::string& what, float value) { return constant(what, {}, {value}); }

 private:
  Network& network_;
  std::string prefix_;
  std::vector<Operator>& operators_;
};

}  // namespace accord
