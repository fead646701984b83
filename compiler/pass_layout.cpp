#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/concat_parts.h"
#include "compiler/layout_cost.h"
#include "compiler/mapping/constant_home.h"
#include "compiler/mapping/views.h"
#include "compiler/memory_sharing.h"

namespace accord {
namespace {

constexpr std::size_t most_looks = 3;  ///< at each tensor on average; a change calls for another at its neighbours

/// Weighs for tensors that layers hand on which of their indices lies innermost, and whether a Transpose, Slice or part
/// of a Concat whose rows would be torn apart is worth a copy: by the predictions of all layers that read or write what
/// changes.
class LayoutChooser {
 public:
  explicit LayoutChooser(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), cost_(compilation) {
    for (const Home& home : compilation.homes) {
      if (home.alias != no_tensor && home.side_by_side.count > 1) in_channels_.insert(home.alias);
    }
  }

  void run() {
    for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
      if (is_copy(compilation_.layers[l])) weigh_view(l);
    }
    for (std::size_t t = 0; t < network_.tensors.size(); ++t) open_.insert(static_cast<TensorId>(t));
    weigh_open();
    // What no order of the whole mends.
    for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
      if (cost_.operator_of(compilation_.layers[l]).type != "Concat") continue;
      const PartsApart apart = leave_parts_apart(compilation_, cost_, l);
      weigh_again(apart.changed, {});
      l += apart.copies;
    }
    weigh_open();
  }

 private:
  using Order = std::vector<std::size_t>;

  /// Another layout: the order of tensors that lay alike, and a layer that no longer copies.
  struct Change {
    std::vector<TensorId> tensors{};
    Order order{};
    std::optional<std::size_t> shown{};
  };

  /// Moves or computes nothing but its input, shown otherwise.
  bool is_copy(const LayerPlan& layer) const {
    return layer.placement != Placement::memory && layer.group.operators.size() == 1 &&
           shows_input(cost_.operator_of(layer)) && !network_.tensor(cost_.operator_of(layer).inputs[0]).is_constant();
  }

  /// Orders of tensors, and of those around them once one has changed.
  void weigh_open() {
    find_read_at_home();
    for (std::size_t looks = most_looks * open_.size(); !open_.empty() && looks > 0; --looks) {
      const TensorId tensor = open_.extract(open_.begin()).value();
      if (!is_torn(tensor) && !read_at_home_[tensor]) continue;
      if (!weigh_orders(tensor)) weigh_together(tensor);
    }
    open_.clear();
  }

  void weigh_view(std::size_t layer);
  bool weigh_orders(TensorId tensor);
  void weigh_together(TensorId image);
  std::vector<TensorId> alike(const LayerPlan& layer, const Order& order) const;
  bool is_torn(TensorId tensor);
  std::vector<Order> other_orders(TensorId tensor) const;
  void find_read_at_home();
  bool weigh(const Change& change, const std::string& what);
  void weigh_again(const std::vector<std::size_t>& affected, const std::vector<TensorId>& changed);

  Compilation& compilation_;
  const Network& network_;
  LayoutCost cost_;
  std::set<TensorId> in_channels_;  ///< of which others' rows lie side by side as channels
  std::vector<bool> read_at_home_;  ///< per tensor
  std::set<TensorId> open_;         ///< to be weighed as their layers are now
};

/// The tensor's order with each other index innermost. Of images, whose channels are: row-major, unless rows lie side
/// by side as channels.
std::vector<LayoutChooser::Order> LayoutChooser::other_orders(TensorId tensor) const {
  const Order& order = compilation_.homes[tensor].order;
  const Shape& shape = network_.tensor(tensor).shape;
  if (in_channels_.contains(tensor)) return {};
  if (!std::ranges::is_sorted(order)) {
    Order rows = order;
    std::ranges::sort(rows);
    return {rows};
  }
  std::vector<Order> others;
  const auto innermost = std::find_if(order.rbegin(), order.rend(), [&](std::size_t i) { return shape[i] > 1; });
  for (const std::size_t index : order) {
    if (shape[index] == 1 || (innermost != order.rend() && index == *innermost)) continue;
    Order other = order;
    std::erase(other, index);
    other.push_back(index);
    others.push_back(std::move(other));
  }
  return others;
}

void LayoutChooser::weigh_view(std::size_t l) {
  const Operator& op = cost_.operator_of(compilation_.layers[l]);
  if (compilation_.homes[op.inputs[0]].side_by_side.count > 1) return;
  const std::string& name = network_.tensor(op.outputs[0]).name;
  if (weigh({.shown = l}, fmt::format("{} read where {} lies", name, network_.tensor(op.inputs[0]).name))) return;
  const TensorId source = cost_.owner(op.inputs[0]);
  for (const Order& order : other_orders(source)) {
    const std::string& source_name = network_.tensor(source).name;
    if (weigh({{source}, order, l},
              fmt::format("{} read where {} lies, index {} innermost", name, source_name, order.back())))
      return;
  }
}

bool LayoutChooser::weigh_orders(TensorId tensor) {
  return std::ranges::any_of(other_orders(tensor), [&](const Order& order) {
    return weigh({.tensors = {tensor}, .order = order},
                 fmt::format("{} with index {} innermost", network_.tensor(tensor).name, order.back()));
  });
}

/// The tensors in whose memory a layer reads and writes, of those that lie in the same order and may lie in another.
std::vector<TensorId> LayoutChooser::alike(const LayerPlan& layer, const Order& order) const {
  std::vector<TensorId> found;
  for (const WorkOperand& operand : layer.work.operands) {
    if (operand.tensor == no_tensor || network_.tensor(operand.tensor).is_constant()) continue;
    const TensorId owner = cost_.owner(operand.tensor);
    if (compilation_.homes[owner].order != order || other_orders(owner).empty()) continue;
    if (std::ranges::count(found, owner) == 0) found.push_back(owner);
  }
  return found;
}

/// An image with all others that a layer around it touches: what works along rows of one writes rows of another.
void LayoutChooser::weigh_together(TensorId image) {
  const Order order = compilation_.homes[image].order;
  if (std::ranges::is_sorted(order)) return;
  for (const std::size_t l : cost_.touching(image)) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement != Placement::machine) continue;
    const std::vector<TensorId> images = alike(layer, order);
    if (images.size() < 2 || std::ranges::count(images, image) == 0) continue;
    const Order rows = other_orders(image).front();
    const std::string what =
        fmt::format("what {} touches with index {} innermost", name_of(network_, layer), rows.back());
    if (weigh({.tensors = images, .order = rows}, what)) return;
  }
}

/// Whether another order may be worth it: by what the layers that touch the tensor's memory may gain at most.
bool LayoutChooser::is_torn(TensorId tensor) {
  if (network_.tensor(tensor).is_constant() || cost_.owner(tensor) != tensor || other_orders(tensor).empty())
    return false;
  double sum = 0, gained = 0;
  for (const std::size_t l : cost_.touching(tensor)) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement != Placement::machine) continue;
    sum += cost_.cycles(layer);
    gained += cost_.gain(layer, tensor);
  }
  return gained > sum - cost_.worth(sum);
}

/// Constants that a unit reads where they lie: they lie as the compiler likes.
void LayoutChooser::find_read_at_home() {
  read_at_home_.assign(network_.tensors.size(), false);
  for (const LayerPlan& layer : compilation_.layers) {
    for (const Mapping& mapping : layer.mappings) {
      for (const Use& use : mapping.uses) {
        if (!reads_constant_at_home(network_, layer.work, use)) continue;
        read_at_home_[layer.work.operands[use.access.operand].tensor] = true;
      }
    }
  }
}

/// What else these layers touch may lie better now.
void LayoutChooser::weigh_again(const std::vector<std::size_t>& affected, const std::vector<TensorId>& changed) {
  for (const std::size_t l : affected) {
    for (const WorkOperand& operand : compilation_.layers[l].work.operands) {
      if (operand.tensor != no_tensor) open_.insert(cost_.owner(operand.tensor));
    }
  }
  for (const TensorId tensor : changed) open_.erase(tensor);
}

/// Takes the change if the layers that it touches take fewer cycles with it.
bool LayoutChooser::weigh(const Change& change, const std::string& what) {
  auto& layers = compilation_.layers;
  Homes homes = compilation_.homes;
  const Placement before = change.shown ? layers[*change.shown].placement : Placement::memory;
  double cycles_now = change.shown ? cost_.copying(layers[*change.shown]) : 0;
  for (const TensorId tensor : change.tensors) homes[tensor].order = change.order;
  if (change.shown) layers[*change.shown].placement = Placement::memory;
  auto copies = foresee_strides(network_, layers, homes);
  const std::vector<std::size_t> affected = cost_.moved_layers(homes);
  if (change.shown) layers[*change.shown].placement = before;
  cycles_now += cost_.cycles(affected);
  if (change.shown) layers[*change.shown].placement = Placement::memory;
  std::swap(homes, compilation_.homes);
  std::vector<LayerPlan> plans;
  const double cycles_then =
      copies == cost_.copies() ? cost_.cycles_with(affected, cost_.worth(cycles_now), plans) : LayoutCost::never;
  if (cycles_then < cost_.worth(cycles_now)) {
    if (change.shown) layers[*change.shown].mappings.clear();
    cost_.take(affected, std::move(plans), std::move(copies));
    weigh_again(affected, change.tensors);
    compilation_.layouts.push_back(
        fmt::format("chosen: {}: {:.0f} cycles instead of {:.0f}", what, cycles_then, cycles_now));
    return true;
  }
  std::swap(homes, compilation_.homes);
  if (change.shown) layers[*change.shown].placement = before;
  compilation_.layouts.push_back(fmt::format("refused: {}", what));
  return false;
}

}  // namespace

void layout_pass(Compilation& compilation) {
  if (compilation.options.searcher->leaves_choice()) LayoutChooser(compilation).run();
}

}  // namespace accord
