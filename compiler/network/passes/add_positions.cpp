#include <numeric>

#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

/// Operators that compare positions, and how many inputs they have without them.
std::size_t inputs_of(const std::string& type) {
  if (type == "OneHot") return 2;
  return type == "ArgMax" || type == "ArgMin" || type == "CumSum" || type == "TopPositions" ? 1 : 0;
}

}  // namespace

void add_positions(Network& network) {
  for (auto& op : network.operators) {
    if (op.inputs.empty() || op.inputs.size() != inputs_of(op.type)) continue;
    const auto& shape = network.tensor(op.type == "OneHot" ? op.outputs[0] : op.inputs[0]).shape;
    auto axis = attribute(op, "axis", std::int64_t{op.type == "OneHot" || op.type == "TopPositions" ? -1 : 0});
    if (axis < 0) axis += std::ssize(shape);
    const auto extent = shape[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> positions(static_cast<std::size_t>(extent));
    std::iota(positions.begin(), positions.end(), std::int64_t{0});
    op.inputs.push_back(network.add(make_constant(op.name + ".positions", {extent}, positions)));
  }
}

}  // namespace accord
