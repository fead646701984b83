#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

bool is_one_dimensional(const Network& network, const Operator& op) {
  if (op.type != "Conv" && op.type != "MaxPool" && op.type != "AveragePool") return false;
  if (network.tensor(op.inputs[0]).shape.size() != 3) return false;
  return op.type != "Conv" || network.tensor(op.inputs[1]).is_constant();
}

/// [N, C, L] becomes [N, C, 1, L].
Shape widened(Shape shape) {
  shape.insert(shape.begin() + 2, 1);
  return shape;
}

void widen_attributes(Operator& op) {
  for (const auto* key : {"kernel_shape", "strides", "dilations"}) {
    auto values = attribute(op, key, Integers{1});
    values.insert(values.begin(), 1);
    op.attributes[key] = values;
  }
  const auto pads = attribute(op, "pads", Integers{0, 0});
  op.attributes["pads"] = Integers{0, pads[0], 0, pads[1]};
}

void widen(Network& network, Operator op, std::vector<Operator>& operators) {
  const auto add = [&](const char* suffix, Tensor like) {
    like.name = op.name + suffix;
    like.shape = widened(like.shape);
    return network.add(std::move(like));
  };
  const auto x = add(".x2d", network.tensor(op.inputs[0]));
  const auto y = add(".y2d", network.tensor(op.outputs[0]));
  operators.push_back({op.name + ".widen", "Reshape", {op.inputs[0]}, {x}, {}});
  const auto result = op.outputs[0];
  const auto name = op.name;
  op.inputs[0] = x;
  op.outputs[0] = y;
  if (op.type == "Conv") op.inputs[1] = add(".w2d", network.tensor(op.inputs[1]));
  widen_attributes(op);
  operators.push_back(std::move(op));
  operators.push_back({name + ".narrow", "Reshape", {y}, {result}, {}});
}

}  // namespace

void widen_to_2d(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (is_one_dimensional(network, op))
      widen(network, std::move(op), operators);
    else
      operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord
