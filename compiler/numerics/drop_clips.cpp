#include "compiler/numerics/drop_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "compiler/network/passes/passes.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

/// Whether the operator is done in integers whatever its neighbours are.
bool computes_in_storage(const Network& network, int op) {
  constexpr std::array<std::string_view, 3> types = {"Conv", "Gemm", "MatMul"};
  return op != no_operator &&
         std::ranges::find(types, network.operators[static_cast<std::size_t>(op)].type) != types.end();
}

/// Whether what reads the result reads stored values: they were stored by what made them, or will be for all readers.
bool is_stored(const Network& network, const Uses& uses, const Operator& clip) {
  const auto x = static_cast<std::size_t>(clip.inputs[0]), y = static_cast<std::size_t>(clip.outputs[0]);
  if (uses.is_output[y]) return false;
  return computes_in_storage(network, uses.producer[x]) ||
         std::ranges::all_of(uses.consumers[y], [&](int op) { return computes_in_storage(network, op); });
}

bool storage_bounds(const Network& network, const Operator& clip, ElementType storage) {
  const auto &x = network.tensor(clip.inputs[0]).quantisation, &y = network.tensor(clip.outputs[0]).quantisation;
  if (!x || !y || x->scale.size() != 1 || x->scale != y->scale || x->zero != 0 || y->zero != 0) return false;
  return attribute(clip, "min", -INFINITY) <= x->scale[0] * lowest(storage) &&
         attribute(clip, "max", INFINITY) >= x->scale[0] * highest(storage);
}

}  // namespace

void drop_clips_of_storage(Network& network, ElementType storage) {
  const Uses uses(network);
  for (auto& op : network.operators) {
    if (op.type != "Clip" || op.inputs.size() != 1) continue;
    if (!is_stored(network, uses, op) || !storage_bounds(network, op, storage)) continue;
    op.type = "Identity";
    op.attributes.clear();
  }
  drop_no_ops(network);
}

}  // namespace accord::numerics
