#include "compiler/memory_sharing.h"

#include <algorithm>
#include <optional>

#include "compiler/mapping/views.h"

namespace accord {

std::vector<bool> MemorySharing::run(const std::vector<LayerPlan>& layers) {
  std::vector<bool> copies(layers.size(), false);
  for (const LayerPlan& layer : layers) {
    if (layer.placement == Placement::host) by_host_.insert(layer.outputs.begin(), layer.outputs.end());
  }
  const auto rearranges = [&](std::size_t l) { return layers[l].placement == Placement::memory; };
  const auto operator_of = [&](std::size_t l) -> const Operator& {
    return network_.operators[layers[l].group.operators[0]];
  };
  const auto is_concat = [&](std::size_t l) { return operator_of(l).type == "Concat"; };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (rearranges(l) && is_concat(l)) copies[l] = !share_concat(operator_of(l), l);
  }
  settle_all();
  // What is a part of a Concat passes its place on to what it shows.
  for (std::size_t l = layers.size(); l-- > 0;) {
    if (rearranges(l) && !copies[l]) share_source(operator_of(l));
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (rearranges(l) && !is_concat(l)) copies[l] = !share_view(operator_of(l));
  }
  return copies;
}

bool MemorySharing::can_alias(TensorId tensor) const {
  const bool is_input = std::find(network_.inputs.begin(), network_.inputs.end(), tensor) != network_.inputs.end();
  return homes_[tensor].alias < 0 && !network_.tensors[tensor].is_constant() && !is_input &&
         std::find(network_.outputs.begin(), network_.outputs.end(), tensor) == network_.outputs.end();
}

/// Why the part cannot lie in the whole, whose margins have that value; null: it can.
const char* MemorySharing::obstacle(TensorId part, TensorId whole, std::size_t axis,
                                    std::optional<double> outside) const {
  const Home& home = homes_[part];
  if (network_.tensors[part].type != network_.tensors[whole].type) return "has another type";
  if (!can_alias(part)) return "lies elsewhere";
  if (home.before[axis] != 0 || home.after[axis] != 0) return "has a margin along the axis";
  const bool clash = outside_known_.contains(part) && outside.value_or(home.outside) != home.outside;
  return clash ? "has other padding than the parts before it" : nullptr;
}

/// The inputs are written right into their parts of the result.
bool MemorySharing::share_concat(const Operator& op, std::size_t layer) {
  const TensorId whole = op.outputs[0];
  const Shape& shape = network_.tensors[whole].shape;
  auto axis = attribute(op, "axis", std::int64_t{1});
  if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
  std::set<TensorId> distinct(op.inputs.begin(), op.inputs.end());
  if (distinct.size() != op.inputs.size()) return false;
  std::optional<double> outside;  // in the margins of all that lie there
  if (outside_known_.contains(whole)) outside = homes_[whole].outside;
  for (const TensorId t : op.inputs) {
    if (const char* why = obstacle(t, whole, static_cast<std::size_t>(axis), outside)) {
      lone_parts_.push_back({layer, t, why});
      return false;
    }
    if (outside_known_.contains(t)) outside = homes_[t].outside;
  }
  if (outside) {
    homes_[whole].outside = *outside;
    outside_known_.insert(whole);
  }
  std::int64_t offset = 0;
  for (const TensorId t : op.inputs) {
    Home& home = homes_[t];
    for (std::size_t i = 0; i < shape.size(); ++i) {
      homes_[whole].before[i] = std::max(homes_[whole].before[i], home.before[i]);
      homes_[whole].after[i] = std::max(homes_[whole].after[i], home.after[i]);
    }
    home.alias = whole;
    shown_.insert(whole);
    home.alias_offset = offset;  // elements along the axis until settled
    offset += network_.tensors[t].shape[axis];
  }
  return true;
}

bool MemorySharing::has_margin(TensorId tensor) const {
  const Home& home = homes_[tensor];
  const auto wide = [](std::int64_t margin) { return margin != 0; };
  return std::ranges::any_of(home.before, wide) || std::ranges::any_of(home.after, wide);
}

/// Whether the tensor is an image that would not lie in its own order where another shows it so.
bool MemorySharing::is_rewritten_image(TensorId tensor, const HomeStrides& shown) const {
  const Shape& shape = network_.tensors[tensor].shape;
  bool differs = false;
  for (std::size_t d = 0; d < shape.size(); ++d) differs |= shape[d] > 1 && homes_[tensor].strides[d] != shown[d];
  return shape.size() == 4 && differs;
}

/// Whether a Reshape can show the Transpose's result only if that lies in its own order, and can use it so.
bool MemorySharing::wants_order(const Operator& transpose) const {
  const TensorId to = transpose.outputs[0];
  const auto shown = view_of(network_, transpose, homes_[transpose.inputs[0]].strides);
  return std::ranges::any_of(network_.operators, [&](const Operator& op) {
    if (op.type != "Reshape" || op.inputs[0] != to) return false;
    const Shape &shape = network_.tensors[to].shape, &after = network_.tensors[op.outputs[0]].shape;
    const auto in_order = reshaped(shape, homes_[to].strides, after);
    return in_order && !is_rewritten_image(op.outputs[0], *in_order) && !reshaped(shape, shown->strides, after);
  });
}

/// Strides with which one tensor would lie inside the other's margin, in its own order.
std::optional<HomeStrides> MemorySharing::strides_inside(TensorId from, TensorId to) const {
  const Shape& shape = network_.tensors[from].shape;
  const auto strides = reshaped(network_.tensors[to].shape, homes_[to].strides, shape);
  const bool in_order = strides && order_of(shape, *strides) == order_of(shape, homes_[from].strides);
  return in_order ? strides : std::nullopt;
}

/// Strides with which the operator's input would lie in its result's place.
std::optional<HomeStrides> MemorySharing::source_strides(const Operator& op) const {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  const bool placed = homes_[to].alias >= 0;  // in a Concat
  if (has_margin(to)) return op.type == "Reshape" ? strides_inside(from, to) : std::nullopt;
  if (placed && (op.type == "Reshape" || op.type == "Identity"))
    return reshaped(network_.tensors[to].shape, homes_[to].strides, network_.tensors[from].shape);
  if (op.type != "Transpose" || (!placed && !wants_order(op))) return std::nullopt;
  HomeStrides strides(homes_[to].strides.size());
  const auto perm = attribute(op, "perm", std::vector<std::int64_t>{});
  for (std::size_t d = 0; d < perm.size(); ++d) strides[static_cast<std::size_t>(perm[d])] = homes_[to].strides[d];
  return strides;
}

/// An input that is written right where the result lies: in a Concat, inside a margin, or in the order that a Reshape
/// needs.
void MemorySharing::share_source(const Operator& op) {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  if (!can_alias(from) || has_margin(from) || shown_.contains(from)) return;
  const auto strides = source_strides(op);
  if (!strides) return;
  homes_[from].strides = *strides;
  homes_[from].alias = to;
  shown_.insert(to);
  views_.insert(from);
}

/// The result is read where the input lies.
bool MemorySharing::share_view(const Operator& op) {
  const TensorId from = op.inputs[0], to = op.outputs[0];
  if (homes_[from].alias == to && views_.contains(from)) return true;
  if (!can_alias(to) || has_margin(to) || network_.tensors[from].is_constant()) return false;
  if (homes_[from].side_by_side.count > 1) return false;  // rows or columns lie elsewhere than its steps say
  const auto view = view_of(network_, op, homes_[from].strides);
  if (!view) return false;
  // The host, which made it, writes it anew: an image that does not lie as its readers want it costs them more.
  if (op.type == "Reshape" && by_host_.contains(from) && is_rewritten_image(to, view->strides)) return false;
  homes_[to].strides = view->strides;
  homes_[to].alias = from;
  homes_[to].alias_offset = view->offset;
  return true;
}

void MemorySharing::settle_all() {
  for (std::size_t t = 0; t < homes_.size(); ++t) {
    settle(homes_[t], network_.tensors[t].shape, network_.tensors[t].type);
  }
  // Parts take their whole's steps; wholes may be parts themselves, so outermost first.
  std::vector<bool> done(homes_.size(), false);
  auto resolve = [&](auto&& self, std::size_t t) -> void {
    if (done[t]) return;
    done[t] = true;
    Home& home = homes_[t];
    if (home.alias < 0 || home.side_by_side.count > 1) return;
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

namespace {

/// Margins that the works' windows need, whatever mappings add to them.
void foresee_margins(const std::vector<LayerPlan>& layers, Homes& homes) {
  for (const LayerPlan& layer : layers) {
    if (layer.placement == Placement::memory) continue;
    std::vector<std::int64_t> extents;
    for (const auto& iterator : layer.work.program.iterators) extents.push_back(iterator.extent);
    for (const auto& statement : layer.work.program.statements) {
      for (const Access& access : statement.accesses) {
        const WorkOperand& operand = layer.work.operands[access.operand];
        if (operand.tensor == no_tensor || operand.constant) continue;
        reach(homes[operand.tensor], operand.shape, access, extents);
      }
    }
  }
}

}  // namespace

std::vector<bool> foresee_strides(const Network& network, const std::vector<LayerPlan>& layers, Homes& homes) {
  Homes shared = homes;
  foresee_margins(layers, shared);
  std::vector<bool> copies = MemorySharing(network, shared, {}).run(layers);
  for (std::size_t t = 0; t < homes.size(); ++t) {
    homes[t].strides = std::move(shared[t].strides);
    homes[t].foreseen_inside = shared[t].alias >= 0;
  }
  return copies;
}

}  // namespace accord
