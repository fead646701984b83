#include "compiler/numerics/scale_groups.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace accord::numerics {

ScaleGroups::ScaleGroups(const Network& network, const std::vector<PlannedOperator>& plan,
                         const std::set<Reading>& apart)
    : group_(network.tensors.size()) {
  std::iota(group_.begin(), group_.end(), 0);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].role != Role::carry) continue;
    const Operator& op = network.operators[i];
    for (TensorId id : carried_inputs(op)) {
      if (!apart.contains({i, id})) join(id, op.outputs[0]);
    }
    for (TensorId id : op.outputs) {
      if (id != no_tensor) join(id, op.outputs[0]);
    }
  }
  join_inputs_of_shared_weights(network);
  for (std::size_t id = 0; id < group_.size(); ++id) group_[id] = find(static_cast<TensorId>(id));
}

std::vector<double> ScaleGroups::largest(const std::vector<double>& largest_of_tensor) const {
  std::vector<double> result(group_.size());
  for (std::size_t id = 0; id < group_.size(); ++id) {
    double& seen = result[group_[id]];
    seen = std::max(seen, largest_of_tensor[id]);
  }
  return result;
}

std::size_t ScaleGroups::find(TensorId id) {
  auto i = static_cast<std::size_t>(id);
  while (group_[i] != i) i = group_[i] = group_[group_[i]];
  return i;
}

void ScaleGroups::join(TensorId a, TensorId b) { group_[find(a)] = find(b); }

/// The steps of a recurrent layer: so that the integers of the constant are the same for all.
void ScaleGroups::join_inputs_of_shared_weights(const Network& network) {
  std::map<TensorId, TensorId> first;
  for (const Operator& op : network.operators) {
    if ((op.type != "Conv" && op.type != "Gemm") || !network.tensor(op.inputs[1]).is_constant()) continue;
    const auto [entry, fresh] = first.emplace(op.inputs[1], op.inputs[0]);
    if (!fresh) join(entry->second, op.inputs[0]);
  }
}

}  // namespace accord::numerics
