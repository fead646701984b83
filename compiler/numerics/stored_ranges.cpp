#include "compiler/numerics/stored_ranges.h"

#include <algorithm>
#include <cmath>

namespace accord::numerics {
namespace {

/// What the type holds of a real value, in these steps; of an infinite one its greatest or least integer.
double stored_integer(double value, const ActivationScale& step, ElementType storage) {
  return std::clamp(std::nearbyint(value / double{step.scale}) + step.zero, lowest(storage), highest(storage));
}

}  // namespace

StoredRange bounds_of(const Operator& op, const ActivationScale& step, ElementType storage) {
  if (op.type != "Clip") return {lowest(storage), highest(storage)};
  return {stored_integer(attribute(op, "min", -INFINITY), step, storage),
          stored_integer(attribute(op, "max", INFINITY), step, storage)};
}

std::vector<StoredRange> stored_ranges(const Network& network, const std::vector<PlannedOperator>& plan,
                                       const std::vector<ActivationScale>& scales, ElementType storage) {
  std::vector<StoredRange> ranges(network.tensors.size(), {lowest(storage), highest(storage)});
  const auto of = [&](TensorId id) -> StoredRange& { return ranges[static_cast<std::size_t>(id)]; };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (op.outputs.empty() || op.outputs[0] == no_tensor) continue;
    const TensorId y = op.outputs[0];
    const ActivationScale& step = scales[static_cast<std::size_t>(y)];
    if (op.type == "Clip") {
      of(y) = bounds_of(op, step, storage);
    } else if (plan[i].role == Role::rescale) {
      of(y) = of(op.inputs[0]);
    } else if (plan[i].role == Role::carry) {
      const auto zero = static_cast<double>(step.zero);  // what movers add
      StoredRange moved{zero, zero};
      for (const TensorId x : carried_inputs(op)) {
        moved = {std::min(moved.low, of(x).low), std::max(moved.high, of(x).high)};
      }
      for (const TensorId part : op.outputs) {
        if (part != no_tensor) of(part) = moved;
      }
    }
  }
  return ranges;
}

}  // namespace accord::numerics
