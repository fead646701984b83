#include "compiler/network/network.h"

#include <algorithm>
#include <cstring>

#include "archdsl/source/error.h"

namespace accord {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (auto extent : shape) count *= extent;
  return count;
}

std::string TensorNames::choose(const std::vector<Tensor>& tensors, const std::string& name) {
  if (known_ > tensors.size()) {  // some were removed
    taken_.clear();
    known_ = 0;
  }
  for (; known_ < tensors.size(); ++known_) taken_.insert(tensors[known_].name);
  auto chosen = name;
  const auto base = name.empty() ? std::string("t") : name;
  for (int suffix = 1; chosen.empty() || taken_.contains(chosen); ++suffix) {
    chosen = base + "_" + std::to_string(suffix);
  }
  return chosen;
}

TensorId Network::add(Tensor tensor) {
  tensor.name = names.choose(tensors, tensor.name);
  tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors.size()) - 1;
}

namespace {

template <typename T>
T attribute_as(const Operator& op, const std::string& key, const T& otherwise) {
  const auto found = op.attributes.find(key);
  if (found == op.attributes.end()) return otherwise;
  if (const auto* value = std::get_if<T>(&found->second)) return *value;
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* value = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*value);
  }
  throw Error("operator '" + op.name + "' (" + op.type + "): attribute '" + key + "' has the wrong type");
}

template <typename T>
Tensor constant_of(std::string name, ElementType type, Shape shape, const std::vector<T>& values) {
  assert(element_count(shape) == static_cast<std::int64_t>(values.size()));
  std::vector<std::byte> data(values.size() * sizeof(T));
  if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
  Tensor tensor{std::move(name), type, std::move(shape), nullptr, std::nullopt};
  tensor.data = owned(std::move(data));
  return tensor;
}

}  // namespace

std::int64_t attribute(const Operator& op, const std::string& key, std::int64_t otherwise) {
  return attribute_as(op, key, otherwise);
}
double attribute(const Operator& op, const std::string& key, double otherwise) {
  return attribute_as(op, key, otherwise);
}
std::string attribute(const Operator& op, const std::string& key, const std::string& otherwise) {
  return attribute_as(op, key, otherwise);
}
std::vector<std::int64_t> attribute(const Operator& op, const std::string& key,
                                    const std::vector<std::int64_t>& otherwise) {
  return attribute_as(op, key, otherwise);
}
std::vector<double> attribute(const Operator& op, const std::string& key, const std::vector<double>& otherwise) {
  return attribute_as(op, key, otherwise);
}

Tensor make_constant(std::string name, Shape shape, const std::vector<float>& values) {
  return constant_of(std::move(name), ElementType::fp32, std::move(shape), values);
}
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int64_t>& values) {
  return constant_of(std::move(name), ElementType::i64, std::move(shape), values);
}
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int32_t>& values) {
  return constant_of(std::move(name), ElementType::i32, std::move(shape), values);
}
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int8_t>& values) {
  return constant_of(std::move(name), ElementType::i8, std::move(shape), values);
}

bool rounds_to_integers(const Network& network, const Operator& op) {
  return op.type == "Clip" && attribute(op, rounds_attribute, std::int64_t{0}) != 0 &&
         network.tensor(op.outputs[0]).quantisation.has_value();
}

}  // namespace accord
