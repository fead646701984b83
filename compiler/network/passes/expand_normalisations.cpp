// LayerNormalization and Gelu become the chains that exporters write for them before the opsets that have them.
#include <cmath>
#include <numeric>

#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

void layer_normalization(Network& network, const Operator& op, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  const auto x = op.inputs[0];
  auto line = list.shape(x);
  auto first = attribute(op, "axis", std::int64_t{-1});
  if (first < 0) first += std::ssize(line);
  Integers axes(line.size() - static_cast<std::size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  for (const auto axis : axes) line[static_cast<std::size_t>(axis)] = 1;
  const auto mean = [&](const char* what, TensorId of) {
    return list.add("ReduceMean", what, {of}, line, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  };
  const auto centred = list.binary("Sub", "centred", x, mean("mean", x));
  const auto variance = mean("variance", list.binary("Mul", "square", centred, centred));
  const auto epsilon = list.scalar("epsilon", static_cast<float>(attribute(op, "epsilon", 1e-5)));
  const auto deviation = list.unary("Sqrt", "deviation", list.binary("Add", "shifted", variance, epsilon));
  const bool has_bias = op.inputs.size() > 2 && op.inputs[2] != no_tensor;
  const auto normal = list.binary("Div", "normal", centred, deviation);
  const auto scaled = list.binary("Mul", "scaled", normal, op.inputs[1], has_bias ? no_tensor : op.outputs[0]);
  if (has_bias) list.binary("Add", "", scaled, op.inputs[2], op.outputs[0]);
}

/// x / 2 * (1 + erf(x / sqrt 2)), or with the hyperbolic tangent in place of erf.
void gelu(Network& network, const Operator& op, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  const auto x = op.inputs[0];
  TensorId curve;
  if (attribute(op, "approximate", std::string("none")) == "tanh") {
    const auto square = list.binary("Mul", "square", x, x);
    const auto cube = list.binary("Mul", "cubic", square, list.scalar("weight", 0.044715F));
    const auto inner = list.binary("Mul", "sum", x, list.binary("Add", "bracket", cube, list.scalar("one_in", 1)));
    curve = list.unary("Tanh", "tanh",
                       list.binary("Mul", "argument", inner, list.scalar("root", std::sqrt(2 / std::acos(-1.0F)))));
  } else {
    curve = list.unary("Erf", "erf", list.binary("Mul", "argument", x, list.scalar("root", std::sqrt(0.5F))));
  }
  const auto sum = list.binary("Add", "shifted", curve, list.scalar("one", 1));
  list.binary("Mul", "", list.binary("Mul", "product", x, sum), list.scalar("half", 0.5F), op.outputs[0]);
}

}  // namespace

void expand_normalisations(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "LayerNormalization") {
      layer_normalization(network, op, operators);
    } else if (op.type == "Gelu") {
      gelu(network, op, operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord
