#include "compiler/numerics/expand_softmax.h"

#include "compiler/network/operator_list.h"

namespace accord::numerics {

void expand_softmax(Network& network, const Operator& op, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  const TensorId x = op.inputs[0];
  Shape line = list.shape(x);
  auto axis = attribute(op, "axis", std::int64_t{-1});
  if (axis < 0) axis += std::ssize(line);
  line[static_cast<std::size_t>(axis)] = 1;
  const auto reduce = [&](const char* type, const char* what, TensorId of) {
    return list.add(type, what, {of}, line, {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{1}}});
  };
  const auto powers = list.unary("Exp", "powers", list.binary("Sub", "below", x, reduce("ReduceMax", "top", x)));
  list.binary("Div", "", powers, reduce("ReduceSum", "total", powers), op.outputs[0]);
}

void expand_softmax(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Softmax")
      expand_softmax(network, op, operators);
    else
      operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord::numerics
