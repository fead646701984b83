#include "compiler/numerics/hoist_clips.h"

#include <utility>

#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

bool commutes_with_clip(const Operator& op) {
  return op.type == "Reshape" || op.type == "Transpose" || op.type == "Slice" ||
         (op.type == "MaxPool" && op.outputs.size() == 1);
}

/// The result between the two has the shape of the mover's input, and the Clip's integers; or the input's, which may
/// end where storing them saturates.
void exchange(Network& network, Operator& mover, Operator& clip) {
  const TensorId x = mover.inputs[0], between = mover.outputs[0], y = clip.outputs[0];
  network.tensor(between).shape = network.tensor(x).shape;
  const auto& integers = network.tensor(y).quantisation;
  network.tensor(between).quantisation = integers ? integers : network.tensor(x).quantisation;
  clip.inputs[0] = x;
  clip.outputs[0] = between;
  mover.inputs[0] = between;
  mover.outputs[0] = y;
  std::swap(mover, clip);
}

}  // namespace

void hoist_clips(Network& network) {
  for (bool changed = true; changed;) {
    changed = false;
    const Uses uses(network);
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
      Operator& mover = network.operators[i];
      if (!commutes_with_clip(mover) || !uses.sole_consumer(mover.outputs[0])) continue;
      if (!uses.sole_consumer(mover.inputs[0])) continue;
      const auto next = static_cast<std::size_t>(uses.consumers[static_cast<std::size_t>(mover.outputs[0])][0]);
      if (network.operators[next].type != "Clip" || !is_bounded(network.operators[next])) continue;
      exchange(network, mover, network.operators[next]);
      changed = true;
      break;
    }
  }
}

}  // namespace accord::numerics
