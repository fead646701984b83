#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/compilation.h"

namespace accord {
namespace {

/// Decides which tensors share memory, how wide the margins are, and what the margins hold.
class HomePlanner {
 public:
  explicit HomePlanner(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), homes_(compilation.homes) {}

  void run() {
    for (auto& layer : compilation_.layers) {
      if (layer.placement == Placement::machine) widen(layer);
    }
    for (auto& layer : compilation_.layers) {
      if (layer.placement == Placement::memory) share(layer);
    }
    settle_all();
  }

 private:
  void widen(LayerPlan& layer);
  void share(LayerPlan& layer);
  void settle_all();
  bool share_concat(const Operator& op);
  bool share_view(const Operator& op);
  bool never_negative(TensorId tensor) const;
  std::optional<double> outside_for(const LayerPlan& layer, const Use& use) const;
  const Operator* producer(TensorId tensor) const;
  bool can_alias(TensorId tensor) const;

  Compilation& compilation_;
  const Network& network_;
  Homes& homes_;
  std::set<TensorId> outside_known_;
};

const Operator* HomePlanner::producer(TensorId tensor) const {
  for (const auto& op : network_.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end()) return &op;
  }
  return nullptr;
}

/// Proven from the operators: rectified values and what only selects among them.
bool HomePlanner::never_negative(TensorId tensor) const {
  const Operator* op = producer(tensor);
  if (op == nullptr) return false;
  if (op->type == "Requantize") return attribute(*op, "lo", -1.0) >= 0;
  if (op->type == "MaxPool" || op->type == "Concat" || op->type == "Reshape") {
    return std::all_of(op->inputs.begin(), op->inputs.end(), [&](TensorId t) { return never_negative(t); });
  }
  return false;
}

/// What reads beyond the tensor must yield; padding that never wins may be 0 where no value is negative.
std::optional<double> HomePlanner::outside_for(const LayerPlan& layer, const Use& use) const {
  const WorkOperand& operand = layer.work.operands[use.access.operand];
  if (operand.outside != 0 && never_negative(operand.tensor)) return 0;
  return operand.outside;
}

/// Margins for every mapping that may be used; a conflict about their content sends the layer to the host.
void HomePlanner::widen(LayerPlan& layer) {
  for (const auto& mapping : layer.mappings) {
    for (const auto& use : mapping.uses) {
      if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
      const WorkOperand& operand = layer.work.operands[use.access.operand];
      if (operand.tensor == no_tensor || operand.constant) continue;
      Home reached = homes_[operand.tensor];
      const Home before = reached;
      reach(reached, operand.shape, use.access, mapping.extent);
      const bool grows = reached.before != before.before || reached.after != before.after;
      const bool has = grows || before.before != std::vector<std::int64_t>(before.before.size(), 0) ||
                       before.after != std::vector<std::int64_t>(before.after.size(), 0);
      if (!has || use.role == UseRole::output) {
        homes_[operand.tensor] = reached;
        continue;
      }
      Home alone;
      alone.before.assign(operand.shape.size(), 0);
      alone.after.assign(operand.shape.size(), 0);
      reach(alone, operand.shape, use.access, mapping.extent);
      const bool needs = alone.before != std::vector<std::int64_t>(operand.shape.size(), 0) ||
                         alone.after != std::vector<std::int64_t>(operand.shape.size(), 0);
      if (!needs) continue;
      const double outside = *outside_for(layer, use);
      if (outside_known_.count(operand.tensor) != 0 && reached.outside != outside) {
        layer.placement = Placement::host;
        layer.reason = "its padding value differs from what another reader of the tensor needs";
        return;
      }
      reached.outside = outside;
      homes_[operand.tensor] = reached;
      outside_known_.insert(operand.tensor);
    }
  }
}

bool HomePlanner::can_alias(TensorId tensor) const {
  const bool is_input = std::find(network_.inputs.begin(), network_.inputs.end(), tensor) != network_.inputs.end();
  return homes_[tensor].alias < 0 && !network_.tensors[tensor].is_constant() && !is_input &&
         std::find(network_.outputs.begin(), network_.outputs.end(), tensor) == network_.outputs.end();
}

/// The inputs are written right into their parts of the result.
bool HomePlanner::share_concat(const Operator& op) {
  const TensorId whole = op.outputs[0];
  const Shape& shape = network_.tensors[whole].shape;
  auto axis = attribute(op, "axis", std::int64_t{1});
  if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
  std::set<TensorId> distinct(op.inputs.begin(), op.inputs.end());
  if (distinct.size() != op.inputs.size()) return false;
  for (const TensorId t : op.inputs) {
    const Home& home = homes_[t];
    const bool margin = home.before[axis] != 0 || home.after[axis] != 0;
    const bool padded = home.before != std::vector<std::int64_t>(shape.size(), 0) ||
                        home.after != std::vector<std::int64_t>(shape.size(), 0);
    const bool clash = padded && outside_known_.count(whole) != 0 && homes_[whole].outside != home.outside;
    if (!can_alias(t) || margin || clash || network_.tensors[t].type != network_.tensors[whole].type) return false;
  }
  std::int64_t offset = 0;
  for (const TensorId t : op.inputs) {
    Home& home = homes_[t];
    for (std::size_t i = 0; i < shape.size(); ++i) {
      homes_[whole].before[i] = std::max(homes_[whole].before[i], home.before[i]);
      homes_[whole].after[i] = std::max(homes_[whole].after[i], home.after[i]);
    }
    if (outside_known_.count(t) != 0) {
      homes_[whole].outside = home.outside;
      outside_known_.insert(whole);
    }
    home.alias = whole;
    home.alias_offset = offset;  // elements along the axis until settled
    offset += network_.tensors[t].shape[axis];
  }
  return true;
}

/// A reshape shares memory where neither side has margins and both store the elements in the same order.
bool HomePlanner::share_view(const Operator& op) {
  const TensorId from = op.inputs[0];
  const TensorId to = op.outputs[0];
  auto linear = [&](TensorId t) {
    const Shape& s = network_.tensors[t].shape;
    const bool plain = std::all_of(homes_[t].before.begin(), homes_[t].before.end(), [](auto v) { return v == 0; }) &&
                       std::all_of(homes_[t].after.begin(), homes_[t].after.end(), [](auto v) { return v == 0; });
    return plain && (s.size() != 4 || s[1] == 1 || s[2] * s[3] == 1);
  };
  const bool output = std::find(network_.outputs.begin(), network_.outputs.end(), to) != network_.outputs.end();
  if (!linear(from) || !linear(to) || homes_[to].alias >= 0 || output || network_.tensors[from].is_constant())
    return false;
  homes_[to].alias = from;
  return true;
}

void HomePlanner::share(LayerPlan& layer) {
  const Operator& op = network_.operators[layer.group.operators[0]];
  const bool shared = op.type == "Concat" ? share_concat(op) : share_view(op);
  if (shared) return;
  layer.placement = Placement::host;
  layer.reason = "rearranges data that cannot share memory";
}

void HomePlanner::settle_all() {
  for (std::size_t t = 0; t < homes_.size(); ++t) {
    settle(homes_[t], network_.tensors[t].shape, network_.tensors[t].type);
  }
  // Parts take their whole's steps; wholes may be parts themselves, so outermost first.
  std::vector<bool> done(homes_.size(), false);
  auto resolve = [&](auto&& self, std::size_t t) -> void {
    if (done[t]) return;
    done[t] = true;
    Home& home = homes_[t];
    if (home.alias < 0) return;
    self(self, static_cast<std::size_t>(home.alias));
    const Home& whole = homes_[home.alias];
    if (whole.strides.size() != home.strides.size() ||
        element_count(network_.tensors[t].shape) == element_count(network_.tensors[home.alias].shape)) {
      home.alias_offset = 0;
      if (whole.strides.size() == home.strides.size()) home.strides = whole.strides;
      return;
    }
    std::size_t axis = 0;
    while (network_.tensors[t].shape[axis] == network_.tensors[home.alias].shape[axis]) ++axis;
    home.strides = whole.strides;
    home.alias_offset *= whole.strides[axis];
  };
  for (std::size_t t = 0; t < homes_.size(); ++t) resolve(resolve, t);
}

}  // namespace

void allocate_pass(Compilation& compilation) { HomePlanner(compilation).run(); }

}  // namespace accord
