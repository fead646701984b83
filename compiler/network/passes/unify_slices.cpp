#include <optional>

#include "compiler/network/passes/axis_of.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

void split(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto axis = axis_of(op, network.tensor(op.inputs[0]).shape);
  const auto parts = attribute(op, "split", Integers{});
  std::int64_t start = 0;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const auto y = op.outputs[i];
    const auto count = parts[i];
    if (y != no_tensor)
      operators.push_back({op.name + "." + network.tensor(y).name,
                           "Slice",
                           {op.inputs[0]},
                           {y},
                           {{"starts", Integers{start}},
                            {"ends", Integers{start + count}},
                            {"axes", Integers{static_cast<std::int64_t>(axis)}},
                            {"steps", Integers{1}}}});
    start += count;
  }
}

struct Progression {
  std::int64_t start = 0, step = 1, count = 0;
};

/// Constant indices that are equally far apart.
std::optional<Progression> progression(const Tensor& indices, std::int64_t extent) {
  if (!indices.is_constant() || indices.type != ElementType::i64) return std::nullopt;
  const auto* values = constant_data<std::int64_t>(indices);
  const auto at = [&](std::int64_t i) { return values[i] < 0 ? values[i] + extent : values[i]; };
  Progression result{0, 1, element_count(indices.shape)};
  if (result.count == 0) return std::nullopt;
  result.start = at(0);
  if (result.count > 1) result.step = at(1) - at(0);
  for (std::int64_t i = 0; i < result.count; ++i) {
    if (at(i) < 0 || at(i) >= extent || at(i) != result.start + i * result.step) return std::nullopt;
  }
  return result.step == 0 ? std::nullopt : std::optional(result);
}

/// A Gather by constant indices that are equally far apart takes a slice.
bool gather_to_slice(Network& network, const Operator& op, std::vector<Operator>& operators) {
  const auto& x = network.tensor(op.inputs[0]);
  const auto axis = axis_of(op, x.shape);
  const auto found = x.is_constant() ? std::nullopt : progression(network.tensor(op.inputs[1]), x.shape[axis]);
  if (!found) return false;
  auto part = x.shape;
  part[axis] = found->count;
  const bool keeps_rank = network.tensor(op.outputs[0]).shape == part;
  const auto taken =
      keeps_rank ? op.outputs[0] : network.add({op.name + ".slice", x.type, part, nullptr, std::nullopt});
  const auto end = found->start + found->count * found->step;
  operators.push_back({op.name,
                       "Slice",
                       {op.inputs[0]},
                       {taken},
                       {{"starts", Integers{found->start}},
                        {"ends", Integers{end < 0 ? -1 : end}},
                        {"axes", Integers{static_cast<std::int64_t>(axis)}},
                        {"steps", Integers{found->step}}}});
  if (!keeps_rank) operators.push_back({op.name + ".reshape", "Reshape", {taken}, {op.outputs[0]}, {}});
  return true;
}

}  // namespace

void unify_slices(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Split") {
      split(network, op, operators);
    } else if (op.type != "Gather" || !gather_to_slice(network, op, operators)) {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord
