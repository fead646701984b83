#pragma once

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"
#include "compiler/reference/execute.h"

namespace accord {

template <typename T>
Value make_value(ElementType type, Shape shape, const std::vector<T>& elements) {
  Value value{type, std::move(shape), std::vector<std::byte>(elements.size() * sizeof(T))};
  std::memcpy(value.data.data(), elements.data(), value.data.size());
  return value;
}

template <typename T>
std::vector<T> elements_of(const Value& value) {
  std::vector<T> elements(value.data.size() / sizeof(T));
  std::memcpy(elements.data(), value.data.data(), value.data.size());
  return elements;
}

inline Value random_floats(Shape shape, std::mt19937& engine) {
  std::vector<float> elements(count_of(shape));
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (float& element : elements) element = distribution(engine);
  return make_value(ElementType::fp32, std::move(shape), elements);
}

inline Value random_i8(Shape shape, std::mt19937& engine) {
  std::vector<std::int8_t> elements(count_of(shape));
  std::uniform_int_distribution<int> distribution(-128, 127);
  for (std::int8_t& element : elements) element = static_cast<std::int8_t>(distribution(engine));
  return make_value(ElementType::i8, std::move(shape), elements);
}

/// Evaluates one operator; its inputs are called "0", "1", ...
inline Value evaluate_single(const std::string& type, const std::vector<Value>& inputs, ElementType result, Shape shape,
                             std::map<std::string, Attribute> attributes = {}, int threads = 2) {
  Network network;
  Values values;
  Operator op{"op", type, {}, {}, std::move(attributes)};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor tensor;
    tensor.name = std::to_string(i);
    tensor.type = inputs[i].type;
    tensor.shape = inputs[i].shape;
    op.inputs.push_back(network.add(tensor));
    values[tensor.name] = inputs[i];
  }
  network.inputs = op.inputs;
  Tensor y;
  y.name = "y";
  y.type = result;
  y.shape = std::move(shape);
  network.outputs = op.outputs = {network.add(y)};
  network.operators.push_back(op);
  ExecuteOptions options;
  options.threads = threads;
  return execute(network, values, options).at("y");
}

}  // namespace accord
