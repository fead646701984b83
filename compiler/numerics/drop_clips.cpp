#include "compiler/numerics/drop_clips.h"

#include <algorithm>
#include <cmath>

#include "compiler/network/passes/passes.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/stored_ranges.h"
#include "compiler/numerics/sums.h"

namespace accord::numerics {
namespace {

/// Whether the operator is done in integers whatever its neighbours are.
bool computes_in_storage(const Network& network, const Numerics& numerics, int index) {
  if (index == no_operator) return false;
  const Operator& op = network.operators[static_cast<std::size_t>(index)];
  if (!is_integer_product(network, op)) return false;
  const StoredRange all{lowest(numerics.storage), highest(numerics.storage)};
  return op.type != "MatMul" ||
         greatest_sum(network.tensor(op.inputs[0]).shape.back(), all, all) <= greatest_count(numerics.accumulator);
}

/// Whether what reads the result reads stored values: they were stored by what made them, or will be for all readers.
bool is_stored(const Network& network, const Numerics& numerics, const Uses& uses, const Operator& clip) {
  const auto x = static_cast<std::size_t>(clip.inputs[0]), y = static_cast<std::size_t>(clip.outputs[0]);
  if (uses.is_output[y]) return false;
  return computes_in_storage(network, numerics, uses.producer[x]) ||
         std::ranges::all_of(uses.consumers[y], [&](int op) { return computes_in_storage(network, numerics, op); });
}

bool storage_bounds(const Network& network, const Operator& clip, ElementType storage) {
  const auto &x = network.tensor(clip.inputs[0]).quantisation, &y = network.tensor(clip.outputs[0]).quantisation;
  if (!x || !y || x->scale.size() != 1 || x->scale != y->scale || x->zero != 0 || y->zero != 0) return false;
  return attribute(clip, "min", -INFINITY) <= x->scale[0] * lowest(storage) &&
         attribute(clip, "max", INFINITY) >= x->scale[0] * highest(storage);
}

}  // namespace

void drop_clips_of_storage(Network& network, const Numerics& numerics) {
  const Uses uses(network);
  for (auto& op : network.operators) {
    if (op.type != "Clip" || op.inputs.size() != 1) continue;
    if (!is_stored(network, numerics, uses, op) || !storage_bounds(network, op, numerics.storage)) continue;
    op.type = "Identity";
    op.attributes.clear();
  }
  drop_no_ops(network);
}

}  // namespace accord::numerics
