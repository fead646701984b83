#include <algorithm>

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
    if (source.type == "Reshape") op.inputs[0] = source.inputs[0];
  }
}

}  // namespace accord
