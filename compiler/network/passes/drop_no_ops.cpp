#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

bool is_identity_permutation(const Operator& op, std::size_t rank) {
  std::vector<std::int64_t> identity(rank);
  std::iota(identity.begin(), identity.end(), 0);
  return attribute(op, "perm", std::vector<std::int64_t>{}) == identity;
}

/// In the order as it stands.
bool goes_forward(const Operator& slice) {
  const auto steps = attribute(slice, "steps", std::vector<std::int64_t>{});
  return std::ranges::all_of(steps, [](std::int64_t step) { return step > 0; });
}

/// A pool whose windows are single elements. Its result has its input's shape.
bool sees_one(const Operator& pool) {
  const auto all = [&](const char* name, std::int64_t value) {
    const auto values = attribute(pool, name, std::vector<std::int64_t>{});
    return std::ranges::all_of(values, [&](std::int64_t one) { return one == value; });
  };
  return all("kernel_shape", 1) && all("strides", 1) && all("pads", 0);
}

bool changes_nothing(const Network& network, const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] == no_tensor || op.outputs.size() != 1) return false;
  const auto& x = network.tensor(op.inputs[0]);
  const auto& y = network.tensor(op.outputs[0]);
  if (op.type == "Identity" || op.type == "Dropout") return true;
  if (x.shape != y.shape || x.type != y.type) return false;
  // What bool becomes differs by value, so a cast is no no-op although the storage type is the same.
  if (op.type == "Reshape" || op.type == "Expand") return true;
  if (op.type == "Cast") return is_float(x.type);
  if (op.type == "Slice") return goes_forward(op);
  if (op.type == "MaxPool" || op.type == "AveragePool") return sees_one(op);
  if (op.type == "Concat" || op.type == "Sum") return op.inputs.size() == 1;
  return op.type == "Transpose" && is_identity_permutation(op, x.shape.size());
}

/// What takes the place of a quantised tensor has its integers.
void keep_quantisation(const Tensor& gone, Tensor& kept) {
  if (gone.quantisation && !kept.quantisation && !kept.is_constant()) kept.quantisation = gone.quantisation;
}

using Places = std::map<TensorId, TensorId>;

void replace(std::vector<TensorId>& ids, const Places& places) {
  for (auto& id : ids) {
    if (const auto found = places.find(id); found != places.end()) id = found->second;
  }
}

}  // namespace

void drop_no_ops(Network& network) {
  const GraphIndex index(network);
  Places forwarded;  // result of a dropped operator -> its input
  Places renamed;    // input of a dropped operator -> the network output that takes its place
  std::vector<Operator> kept;
  for (auto& op : network.operators) {
    replace(op.inputs, forwarded);
    if (!changes_nothing(network, op)) {
      kept.push_back(std::move(op));
      continue;
    }
    const auto x = op.inputs[0];
    const auto y = op.outputs[0];
    if (!index.is_output(y)) {
      forwarded[y] = x;
      keep_quantisation(network.tensor(y), network.tensor(x));
    } else if (index.producer(x) >= 0 && !index.is_output(x) && !renamed.contains(x)) {
      renamed[x] = y;
      keep_quantisation(network.tensor(x), network.tensor(y));
    } else if (op.type.ends_with("Pool")) {
      kept.push_back(std::move(op));  // images keep their layout through it
    } else {
      kept.push_back({op.name, "Reshape", {x}, {y}, {}});
    }
  }
  for (auto& op : kept) {
    replace(op.inputs, renamed);
    replace(op.outputs, renamed);
  }
  network.operators = std::move(kept);
}

}  // namespace accord
