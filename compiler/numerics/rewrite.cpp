#include "compiler/numerics/rewrite.h"

#include <algorithm>
#include <utility>

#include "compiler/reference/elements.h"

namespace accord::numerics {

Rewrite::Rewrite(const Network& from)
    : from_(from), stored_(from.tensors.size(), no_tensor), real_(from.tensors.size(), no_tensor) {
  to_.name = from.name;
  to_.warnings = from.warnings;
  for (TensorId id : from.inputs) {
    const TensorId input = to_.add(from.tensor(id));
    to_.inputs.push_back(input);
    set_real(id, input);
  }
}

TensorId Rewrite::add_tensor(std::string name, ElementType type, Shape shape,
                             std::optional<Quantisation> quantisation) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.quantisation = std::move(quantisation);
  return to_.add(std::move(tensor));
}

Operator& Rewrite::add_operator(std::string type, std::string name, std::vector<TensorId> inputs,
                                std::vector<TensorId> outputs, std::map<std::string, Attribute> attributes) {
  to_.operators.push_back(
      {std::move(name), std::move(type), std::move(inputs), std::move(outputs), std::move(attributes)});
  return to_.operators.back();
}

bool Rewrite::keeps_name_in_fp32(TensorId id) const {
  return std::ranges::find(from_.inputs, id) != from_.inputs.end() ||
         std::ranges::find(from_.outputs, id) != from_.outputs.end();
}

std::string Rewrite::stored_name(TensorId id) const {
  return from_.tensor(id).name + (keeps_name_in_fp32(id) ? ".stored" : "");
}

namespace {

Tensor constant_of(std::string name, Value value) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = value.type;
  tensor.shape = std::move(value.shape);
  tensor.data = owned(std::move(value.data));
  return tensor;
}

template <typename T>
Tensor converted(std::string name, ElementType type, Shape shape, std::span<const T> values) {
  Value value{type, std::move(shape), std::vector<std::byte>(values.size() * static_cast<std::size_t>(bytes(type)))};
  reference::store_range<T>(value, 0, values);
  return constant_of(std::move(name), std::move(value));
}

}  // namespace

Tensor typed_constant(std::string name, ElementType type, Shape shape, const std::vector<double>& values) {
  return converted<double>(std::move(name), type, std::move(shape), values);
}

Tensor typed_constant(std::string name, ElementType type, Shape shape, std::span<const float> values) {
  return converted<float>(std::move(name), type, std::move(shape), values);
}

}  // namespace accord::numerics
