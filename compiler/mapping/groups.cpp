#include "compiler/mapping/groups.h"

#include <algorithm>

namespace accord {

Consumers consumers_of(const Network& network) {
  Consumers result(network.tensors.size());
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    for (const TensorId t : network.operators[i].inputs) {
      if (t != no_tensor) result[t].push_back(static_cast<int>(i));
    }
  }
  return result;
}

namespace {

bool is_output(const Network& network, TensorId tensor) {
  return std::find(network.outputs.begin(), network.outputs.end(), tensor) != network.outputs.end();
}

bool follows(const Operator& op, TensorId tensor) {
  return (op.type == "Accumulate" || op.type == "Requantize") && op.inputs[0] == tensor;
}

}  // namespace

std::vector<Group> group_operators(const Network& network) {
  const Consumers readers = consumers_of(network);
  std::vector<bool> taken(network.operators.size(), false);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    if (taken[i]) continue;
    Group group{{static_cast<int>(i)}};
    taken[i] = true;
    for (;;) {
      const TensorId out = network.operators[group.operators.back()].outputs[0];
      if (network.operators[group.operators.back()].type == "Requantize" && group.operators.size() > 1) break;
      if (is_output(network, out) || readers[out].size() != 1) break;
      const int next = readers[out][0];
      if (taken[next] || !follows(network.operators[next], out)) break;
      group.operators.push_back(next);
      taken[next] = true;
    }
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.operators.back() < b.operators.back(); });
  return groups;
}

std::vector<TensorId> visible_outputs(const Network& network, const Consumers& readers, const Group& group) {
  std::vector<TensorId> result;
  for (const int op : group.operators) {
    for (const TensorId t : network.operators[op].outputs) {
      const bool outside = std::any_of(readers[t].begin(), readers[t].end(), [&](int reader) {
        return std::find(group.operators.begin(), group.operators.end(), reader) == group.operators.end();
      });
      if (outside || is_output(network, t)) result.push_back(t);
    }
  }
  return result;
}

}  // namespace accord
