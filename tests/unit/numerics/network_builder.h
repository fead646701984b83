#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Builds small canonical networks with random weights.
class Builder {
 public:
  TensorId input(Shape shape) {
    network_.inputs.push_back(tensor(std::move(shape)));
    return network_.inputs.back();
  }

  TensorId add(const std::string& type, std::vector<TensorId> inputs, Shape shape,
               std::map<std::string, Attribute> attributes = {}) {
    const TensorId y = tensor(std::move(shape));
    network_.operators.push_back({type + std::to_string(y), type, std::move(inputs), {y}, std::move(attributes)});
    return y;
  }

  TensorId add_typed(const std::string& type, std::vector<TensorId> inputs, ElementType of, Shape shape) {
    const TensorId y = add(type, std::move(inputs), std::move(shape));
    network_.tensor(y).type = of;
    return y;
  }

  TensorId conv(TensorId x, std::int64_t filters, std::int64_t kernel, float scale) {
    const Shape in = network_.tensor(x).shape;
    const std::vector<std::int64_t> window = {kernel, kernel};
    const std::vector<std::int64_t> pads(4, kernel / 2);
    return add("Conv", {x, weights({filters, in[1], kernel, kernel}, scale), weights({filters}, scale)},
               {in[0], filters, in[2], in[3]}, {{"kernel_shape", window}, {"pads", pads}});
  }

  TensorId gemm(TensorId x, std::int64_t columns, float scale, float bias) {
    const Shape in = network_.tensor(x).shape;
    return add("Gemm", {x, weights({columns, in[1]}, scale), weights({columns}, bias)}, {in[0], columns},
               {{"transB", std::int64_t{1}}});
  }

  TensorId constant(Shape shape, const std::vector<float>& values) {
    return network_.add(make_constant("c", std::move(shape), values));
  }

  TensorId constant(Tensor tensor) { return network_.add(std::move(tensor)); }

  /// One int8 number.
  TensorId integer(int value) {
    Tensor tensor{"i", ElementType::i8, {}, nullptr, std::nullopt};
    tensor.data = owned({static_cast<std::byte>(value)});
    return network_.add(std::move(tensor));
  }

  Network finish(TensorId output) {
    network_.outputs = {output};
    return network_;
  }

 private:
  TensorId tensor(Shape shape) {
    Tensor result;
    result.name = "t" + std::to_string(network_.tensors.size());
    result.shape = std::move(shape);
    return network_.add(std::move(result));
  }

  TensorId weights(Shape shape, float scale) {
    std::vector<float> values(count_of(shape));
    std::uniform_real_distribution<float> distribution(-scale, scale);
    for (float& value : values) value = distribution(engine_);
    return network_.add(make_constant("w", std::move(shape), values));
  }

  Network network_;
  std::mt19937 engine_{31};
};

/// relu(conv3x3(relu(conv3x3(x))) + x).
inline Network residual_block(std::int64_t channels) {
  Builder builder;
  const Shape shape = {1, channels, 6, 6};
  const std::map<std::string, Attribute> relu = {{"min", 0.0}, {"max", double{INFINITY}}};
  const TensorId x = builder.input(shape);
  const TensorId inner = builder.add("Clip", {builder.conv(x, channels, 3, 0.2f)}, shape, relu);
  const TensorId sum = builder.add("Add", {builder.conv(inner, channels, 3, 0.2f), x}, shape);
  return builder.finish(builder.add("Clip", {sum}, shape, relu));
}

inline std::vector<std::string> types_of(const Network& network) {
  std::vector<std::string> types;
  for (const Operator& op : network.operators) types.push_back(op.type);
  return types;
}

inline int count_type(const Network& network, const std::string& type) {
  int count = 0;
  for (const Operator& op : network.operators) count += op.type == type;
  return count;
}

inline const Operator& find_operator(const Network& network, const std::string& type) {
  for (const Operator& op : network.operators) {
    if (op.type == type) return op;
  }
  throw std::runtime_error("no operator " + type);
}

}  // namespace accord
