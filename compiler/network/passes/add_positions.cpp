#include <numeric>

#include "compiler/network/passes/passes.h"

namespace accord {

void add_positions(Network& network) {
  for (auto& op : network.operators) {
    if ((op.type != "ArgMax" && op.type != "ArgMin") || op.inputs.size() != 1) continue;
    const auto& shape = network.tensor(op.inputs[0]).shape;
    auto axis = attribute(op, "axis", std::int64_t{0});
    if (axis < 0) axis += std::ssize(shape);
    const auto extent = shape[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> positions(static_cast<std::size_t>(extent));
    std::iota(positions.begin(), positions.end(), std::int64_t{0});
    op.inputs.push_back(network.add(make_constant(op.name + ".positions", {extent}, positions)));
  }
}

}  // namespace accord
