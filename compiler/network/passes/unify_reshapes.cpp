#include <algorithm>

#include "compiler/network/common_factors.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

/// A transposition that only moves dimensions of extent 1 leaves the order of the elements.
bool keeps_order(const Operator& op, const Shape& x) {
  std::int64_t last = -1;
  for (const auto axis : attribute(op, "perm", std::vector<std::int64_t>{})) {
    if (x[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

bool is_reshape(const Network& network, const Operator& op) {
  if (op.type == "Reshape" || op.type == "Flatten" || op.type == "Squeeze" || op.type == "Unsqueeze") return true;
  return op.type == "Transpose" && keeps_order(op, network.tensor(op.inputs[0]).shape);
}

/// Whether one Reshape leads from one to the other: each dimension is split or joined.
bool is_one(const Network& network, TensorId from, TensorId to) {
  return common_factors(network.tensor(from).shape, network.tensor(to).shape).has_value();
}

/// A Reshape that moves elements across both shapes' dimensions goes over one dimension.
void flatten_between(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto& x = network.tensor(op.inputs[0]);
  const auto flat = network.add({op.name + ".flat", x.type, {element_count(x.shape)}, nullptr, x.quantisation});
  operators.push_back({op.name + ".flatten", "Reshape", op.inputs, {flat}, {}});
  operators.push_back({op.name, "Reshape", {flat}, op.outputs, {}});
}

}  // namespace

void unify_reshapes(Network& network) {
  const GraphIndex index(network);
  for (auto& op : network.operators) {
    if (!is_reshape(network, op)) continue;
    op.type = "Reshape";
    op.attributes.clear();
    op.inputs.resize(1);
    const auto before = index.producer(op.inputs[0]);
    if (before < 0) continue;
    const auto& source = network.operators[static_cast<std::size_t>(before)];
    if (source.type == "Reshape" && is_one(network, source.inputs[0], op.outputs[0])) op.inputs[0] = source.inputs[0];
  }
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Reshape" && !is_one(network, op.inputs[0], op.outputs[0])) {
      flatten_between(network, op, operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord
