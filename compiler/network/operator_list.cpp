#include "compiler/network/operator_list.h"

namespace accord {

using Integers = std::vector<std::int64_t>;

Shape joined(Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  const auto offset = a.size() - b.size();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (a[offset + i] == 1) a[offset + i] = b[i];
  }
  return a;
}

TensorId OperatorList::add(const std::string& type, const std::string& what, std::vector<TensorId> inputs, Shape shape,
                           std::map<std::string, Attribute> attributes, TensorId result) {
  return add_typed(ElementType::fp32, type, what, std::move(inputs), std::move(shape), std::move(attributes), result);
}

TensorId OperatorList::add_typed(ElementType element, const std::string& type, const std::string& what,
                                 std::vector<TensorId> inputs, Shape shape, std::map<std::string, Attribute> attributes,
                                 TensorId result) {
  const auto name = what.empty() ? prefix_ : prefix_ + "." + what;
  if (result == no_tensor) result = network_.add({name, element, std::move(shape), nullptr, std::nullopt});
  operators_.push_back({name, type, std::move(inputs), {result}, std::move(attributes)});
  return result;
}

TensorId OperatorList::reshape(const std::string& what, TensorId x, Shape shape, TensorId result) {
  return add_typed(network_.tensor(x).type, "Reshape", what, {x}, std::move(shape), {}, result);
}

TensorId OperatorList::in_shape(const std::string& what, TensorId id, const Shape& shape) {
  if (!network_.tensor(id).is_constant()) return reshape(what, id, shape);
  Tensor copy = network_.tensor(id);
  copy.shape = shape;
  return network_.add(std::move(copy));
}

TensorId OperatorList::slice(const std::string& what, TensorId x, std::int64_t axis, std::int64_t first,
                             std::int64_t count) {
  auto part = shape(x);
  auto& extent = part[static_cast<std::size_t>(axis)];
  if (first == 0 && count == extent) return x;
  extent = count;
  return add_typed(network_.tensor(x).type, "Slice", what, {x}, part,
                   {{"starts", Integers{first}},
                    {"ends", Integers{first + count}},
                    {"axes", Integers{axis}},
                    {"steps", Integers{1}}});
}

TensorId OperatorList::constant(const std::string& what, Shape shape, const std::vector<float>& values) {
  return network_.add(make_constant(prefix_ + "." + what, std::move(shape), values));
}

}  // namespace accord
