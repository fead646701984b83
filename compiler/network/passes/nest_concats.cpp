#include <algorithm>

#include "compiler/network/passes/axis_of.h"
#include "compiler/network/passes/passes.h"

namespace accord {
namespace {

/// Whether the results may lie in one another: no scale of the model's tells them apart.
bool may_nest(const Network& network, const Operator& inner, const Operator& outer) {
  const TensorId part = inner.outputs[0];
  const Tensor &nested = network.tensor(part), &whole = network.tensor(outer.outputs[0]);
  return inner.inputs.size() > 1 && axis_of(inner, nested.shape) == axis_of(outer, whole.shape) &&
         !nested.quantisation && !whole.quantisation &&
         std::ranges::find(network.outputs, part) == network.outputs.end();
}

/// Replaces the inner one's parts, where the outer one has all of them side by side, by its result.
void nest(const Operator& inner, Operator& outer) {
  const auto same = std::ranges::search(outer.inputs, inner.inputs);
  if (same.empty()) return;
  const auto at = outer.inputs.erase(same.begin(), same.end());
  outer.inputs.insert(at, inner.outputs[0]);
}

}  // namespace

void nest_concats(Network& network) {
  std::vector<const Operator*> before;
  for (Operator& outer : network.operators) {
    if (outer.type != "Concat") continue;
    for (const Operator* inner : before) {
      if (may_nest(network, *inner, outer)) nest(*inner, outer);
    }
    before.push_back(&outer);
  }
}

}  // namespace accord
