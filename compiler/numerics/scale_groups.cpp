#include "compiler/numerics/scale_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace accord::numerics {

ScaleGroups::ScaleGroups(const Network& network, const std::vector<PlannedOperator>& plan,
                         const std::set<Reading>& apart)
    : group_(network.tensors.size()), ratio_(network.tensors.size(), 1) {
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
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Operator& op = network.operators[i];
    if (plan[i].role != Role::rescale || apart.contains({i, op.inputs[0]})) continue;
    if (!join(op.outputs[0], op.inputs[0], number_of_factor(network, op))) contradictions_.insert({i, op.inputs[0]});
  }
  settle();
}

bool ScaleGroups::tie(TensorId a, TensorId b) {
  const bool tied = join(a, b);
  settle();
  return tied;
}

void ScaleGroups::settle() {
  for (std::size_t id = 0; id < group_.size(); ++id) find(static_cast<TensorId>(id));
}

std::vector<double> ScaleGroups::largest(const std::vector<double>& largest_of_tensor) const {
  std::vector<double> result(group_.size());
  for (std::size_t id = 0; id < group_.size(); ++id) {
    double& seen = result[group_[id]];
    seen = std::max(seen, largest_of_tensor[id] / ratio_[id]);
  }
  return result;
}

/// The group's first, which the tensor then points to itself.
std::size_t ScaleGroups::find(TensorId id) {
  const auto i = static_cast<std::size_t>(id);
  std::size_t first = i;
  double ratio = 1;
  for (; group_[first] != first; first = group_[first]) ratio *= ratio_[first];
  for (std::size_t at = i; group_[at] != first && at != first;) {
    const std::size_t next = group_[at];
    const double rest = ratio / ratio_[at];
    group_[at] = first;
    ratio_[at] = ratio;
    at = next;
    ratio = rest;
  }
  return first;
}

/// scale(a) = ratio * scale(b). False: they are tied already, in another ratio.
bool ScaleGroups::join(TensorId a, TensorId b, double ratio) {
  const std::size_t of_a = find(a), of_b = find(b);
  const double wanted = ratio * ratio_[static_cast<std::size_t>(b)] / ratio_[static_cast<std::size_t>(a)];
  if (of_a == of_b) return std::abs(wanted - 1) < 1e-9;
  group_[of_a] = of_b;
  ratio_[of_a] = wanted;
  return true;
}

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
