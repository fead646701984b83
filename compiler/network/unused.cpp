#include "compiler/network/unused.h"

#include <algorithm>

namespace accord {

namespace {

void mark(std::vector<bool>& used, const std::vector<TensorId>& ids) {
  for (const auto id : ids) {
    if (id != no_tensor) used[static_cast<std::size_t>(id)] = true;
  }
}

void renumber(std::vector<TensorId>& ids, const std::vector<TensorId>& places) {
  for (auto& id : ids) {
    if (id != no_tensor) id = places[static_cast<std::size_t>(id)];
  }
}

std::vector<bool> remove_unused_operators(Network& network) {
  std::vector<bool> used(network.tensors.size(), false);
  mark(used, network.outputs);
  std::vector<Operator> kept;
  for (auto op = network.operators.rbegin(); op != network.operators.rend(); ++op) {
    const bool needed = std::any_of(op->outputs.begin(), op->outputs.end(),
                                    [&](TensorId id) { return id != no_tensor && used[static_cast<std::size_t>(id)]; });
    if (!needed) continue;
    mark(used, op->inputs);
    mark(used, op->outputs);
    kept.push_back(std::move(*op));
  }
  std::reverse(kept.begin(), kept.end());
  network.operators = std::move(kept);
  mark(used, network.inputs);
  return used;
}

}  // namespace

void remove_unused(Network& network) {
  const auto used = remove_unused_operators(network);
  std::vector<TensorId> places(network.tensors.size(), no_tensor);
  std::vector<Tensor> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    places[i] = static_cast<TensorId>(kept.size());
    kept.push_back(std::move(network.tensors[i]));
  }
  network.tensors = std::move(kept);
  network.names = {};
  for (auto& op : network.operators) {
    renumber(op.inputs, places);
    renumber(op.outputs, places);
  }
  renumber(network.inputs, places);
  renumber(network.outputs, places);
}

}  // namespace accord
