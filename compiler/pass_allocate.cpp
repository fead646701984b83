#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/compilation.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/views.h"

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
      const Operator& op = network_.operators[layer.group.operators[0]];
      if (layer.placement == Placement::memory && op.type == "Concat" && !share_concat(op)) copy(layer);
    }
    settle_all();
    // What is a part of a Concat passes its place on to what it shows.
    for (auto layer = compilation_.layers.rbegin(); layer != compilation_.layers.rend(); ++layer) {
      if (layer->placement == Placement::memory) share_source(network_.operators[layer->group.operators[0]]);
    }
    for (auto& layer : compilation_.layers) {
      const Operator& op = network_.operators[layer.group.operators[0]];
      if (layer.placement == Placement::memory && op.type != "Concat" && !share_view(op)) copy(layer);
    }
  }

 private:
  void widen(LayerPlan& layer);
  void rely(const WorkOperand& operand, const Use& use, const std::vector<std::int64_t>& extents);
  static void copy(LayerPlan& layer);
  void settle_all();
  bool share_concat(const Operator& op);
  bool wants_order(const Operator& transpose) const;
  std::optional<HomeStrides> source_strides(const Operator& op) const;
  void share_source(const Operator& op);
  bool share_view(const Operator& op);
  bool has_margin(TensorId tensor) const;
  bool never_negative(TensorId tensor) const;
  std::optional<double> outside_for(const LayerPlan& layer, const Use& use) const;
  const Operator* producer(TensorId tensor) const;
  bool can_alias(TensorId tensor) const;

  Compilation& compilation_;
  const Network& network_;
  Homes& homes_;
  std::set<TensorId> outside_known_;
  std::set<TensorId> shown_;  ///< others' homes lie in theirs
  std::set<TensorId> views_;  ///< inputs that lie where a result does
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
      rely(operand, use, relied_extents(work_of(layer.work, mapping), mapping, use));
    }
  }
}

/// Marks the indices whose margins decide what the reader computes.
void HomePlanner::rely(const WorkOperand& operand, const Use& use, const std::vector<std::int64_t>& extents) {
  Home decisive;
  decisive.before.assign(operand.shape.size(), 0);
  decisive.after.assign(operand.shape.size(), 0);
  reach(decisive, operand.shape, use.access, extents);
  auto& relied = homes_[operand.tensor].relied;
  relied.resize(operand.shape.size(), false);
  for (std::size_t i = 0; i < relied.size(); ++i) {
    if (decisive.before[i] != 0 || decisive.after[i] != 0) relied[i] = true;
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
    shown_.insert(whole);
    home.alias_offset = offset;  // elements along the axis until settled
    offset += network_.tensors[t].shape[axis];
  }
  return true;
}

bool HomePlanner::has_margin(TensorId tensor) const {
  const Home& home = homes_[tensor];
  const auto wide = [](std::int64_t margin) { return margin != 0; };
  return std::ranges::any_of(home.before, wide) || std::ranges::any_of(home.after, wide);
}

/// Whether a Reshape can show the Transpose's result only if that lies in its own order.
bool HomePlanner::wants_order(const Operator& transpose) const {
  const TensorId to = transpose.outputs[0];
  const auto shown = view_of(network_, transpose, homes_[transpose.inputs[0]].strides);
  return std::ranges::any_of(network_.operators, [&](const Operator& op) {
    if (op.type != "Reshape" || op.inputs[0] != to) return false;
    const Shape &shape = network_.tensors[to].shape, &after = network_.tensors[op.outputs[0]].shape;
    return !reshaped(shape, shown->strides, after) && reshaped(shape, homes_[to].strides, after);
  });
}

/// Strides with which the operator's input would lie in its result's place.
std::optional<HomeStrides> HomePlanner::source_strides(const Operator& op) const {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  const bool placed = homes_[to].alias >= 0;  // in a Concat
  if (placed && (op.type == "Reshape" || op.type == "Identity"))
    return reshaped(network_.tensors[to].shape, homes_[to].strides, network_.tensors[from].shape);
  if (op.type != "Transpose" || (!placed && !wants_order(op))) return std::nullopt;
  HomeStrides strides(homes_[to].strides.size());
  const auto perm = attribute(op, "perm", std::vector<std::int64_t>{});
  for (std::size_t d = 0; d < perm.size(); ++d) strides[static_cast<std::size_t>(perm[d])] = homes_[to].strides[d];
  return strides;
}

/// An input that is written right where the result lies: in a Concat, or in the order that a Reshape needs.
void HomePlanner::share_source(const Operator& op) {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  if (!can_alias(from) || has_margin(from) || has_margin(to) || shown_.contains(from)) return;
  const auto strides = source_strides(op);
  if (!strides) return;
  homes_[from].strides = *strides;
  homes_[from].alias = to;
  shown_.insert(to);
  views_.insert(from);
}

/// The result is read where the input lies.
bool HomePlanner::share_view(const Operator& op) {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  if (homes_[from].alias == to && views_.contains(from)) return true;
  if (!can_alias(to) || has_margin(to) || network_.tensors[from].is_constant()) return false;
  const auto view = view_of(network_, op, homes_[from].strides);
  if (!view) return false;
  homes_[to].strides = view->strides;
  homes_[to].alias = from;
  homes_[to].alias_offset = view->offset;
  return true;
}

void HomePlanner::copy(LayerPlan& layer) {
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
    if (home.alias < 0 || home.interleaved > 1) return;
    self(self, static_cast<std::size_t>(home.alias));
    const Home& whole = homes_[home.alias];
    const Shape &part = network_.tensors[t].shape, &all = network_.tensors[home.alias].shape;
    const auto axis = std::mismatch(part.begin(), part.end(), all.begin()).first - part.begin();
    home.strides = whole.strides;
    for (std::size_t i = 0; i < home.relied.size(); ++i) home.relied[i] = home.relied[i] || whole.relied[i];
    if (axis < std::ssize(part)) home.alias_offset *= whole.strides[static_cast<std::size_t>(axis)];
  };
  for (std::size_t t = 0; t < homes_.size(); ++t) resolve(resolve, t);
}

}  // namespace

void allocate_pass(Compilation& compilation) { HomePlanner(compilation).run(); }

}  // namespace accord
