#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/constant_home.h"
#include "compiler/mapping/cost_model.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/timing.h"
#include "compiler/mapping/views.h"
#include "compiler/memory_sharing.h"
#include "compiler/part_copies.h"

namespace accord {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double quicker = 0.95;           ///< of the cycles as it stands: what another layout must promise
constexpr double quicker_in_order = 0.75;  ///< where turns of hardware loops are in order: schedules see less of them
constexpr double torn = 1.5;               ///< times what its bytes take side by side: a tensor that may lie better
constexpr double half_empty = 2;           ///< times a row of the tensor is at most a word: so may one of few channels
constexpr double busy_enough = 0.7;        ///< of the busiest unit's cycles: a mover that is worth making quicker
constexpr std::size_t most_looks = 3;      ///< at each tensor on average; a change calls for another at its neighbours

/// Weighs for tensors that layers hand on which of their indices lies innermost, and whether a Transpose, Slice or part
/// of a Concat whose rows would be torn apart is worth a copy: by the predictions of all layers that read or write what
/// changes.
class LayoutChooser {
 public:
  explicit LayoutChooser(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {
    Homes homes = compilation.homes;
    copies_ = foresee_strides(network_, compilation.layers, homes);
    const Architecture& architecture = compilation.architecture;
    const bool in_order = architecture.sync.kind == Sync::Kind::in_order;
    worth_ = in_order && compilation.machine.rolls ? quicker_in_order : quicker;
    find_owners();
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
      if (operator_of(compilation_.layers[l]).type == "Concat") l += weigh_parts(l);
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

  const Operator& operator_of(const LayerPlan& layer) const {
    return network_.operators[static_cast<std::size_t>(layer.group.operators[0])];
  }

  /// Moves or computes nothing but its input, shown otherwise.
  bool is_copy(const LayerPlan& layer) const {
    return layer.placement != Placement::memory && layer.group.operators.size() == 1 &&
           shows_input(operator_of(layer)) && !network_.tensor(operator_of(layer).inputs[0]).is_constant();
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
  std::size_t weigh_parts(std::size_t concat);
  bool may_lie_apart(TensorId part);
  bool weigh_part(std::size_t concat, TensorId part);
  double least_copying(TensorId tensor) const;
  bool weigh_orders(TensorId tensor);
  void weigh_together(TensorId image);
  std::vector<TensorId> alike(const LayerPlan& layer, const Order& order) const;
  bool is_torn(TensorId tensor);
  bool has_short_rows(TensorId tensor, const Use& use) const;
  double gain(const LayerPlan& layer, TensorId tensor);
  std::vector<Order> other_orders(TensorId tensor) const;
  void find_owners();
  void find_read_at_home();
  bool weigh(const Change& change, const std::string& what);
  void weigh_again(const std::vector<std::size_t>& affected, const std::vector<TensorId>& changed);
  LayerPlan replanned(std::size_t layer);
  double missed(std::size_t layer, std::optional<LayerPlan>& plan);
  double cycles_with(const std::vector<std::size_t>& affected, double limit, std::vector<LayerPlan>& plans);
  std::vector<std::size_t> moved_layers(const Homes& homes) const;
  bool shares(TensorId tensor) const;
  bool grows_margin(const LayerPlan& layer, const Mapping& mapping) const;
  double cycles(const LayerPlan& layer);
  double copying(const LayerPlan& layer);

  Compilation& compilation_;
  const Network& network_;
  SharedMachines shared_;
  double worth_ = quicker;
  std::vector<TensorId> owners_;                    ///< per tensor: in whose memory it lies
  std::vector<std::vector<std::size_t>> touching_;  ///< per owner: layers with an operand in its memory, ascending
  std::set<TensorId> in_channels_;                  ///< of which others' rows lie side by side as channels
  std::vector<bool> read_at_home_;                  ///< per tensor
  std::set<TensorId> open_;                         ///< to be weighed as their layers are now
  std::map<std::string, double> missed_;            ///< by layer and homes
  std::vector<bool> copies_;                        ///< of the layers that share memory: those that will not be able to
};

bool is_operand(const LayerPlan& layer, const std::vector<bool>& tensors) {
  return std::ranges::any_of(layer.work.operands, [&](const WorkOperand& operand) {
    return operand.tensor != no_tensor && tensors[static_cast<std::size_t>(operand.tensor)];
  });
}

double LayoutChooser::cycles(const LayerPlan& layer) {
  return search_once(compilation_, shared_, layer).predicted_cycles();
}

/// What the layer takes; of the host's as much as its bytes would take the machine, in and out.
double LayoutChooser::copying(const LayerPlan& layer) {
  return layer.placement == Placement::machine ? cycles(layer) : least_copying(operator_of(layer).outputs[0]);
}

/// What the tensor's bytes take in and out.
double LayoutChooser::least_copying(TensorId tensor) const {
  const Tensor& copied = network_.tensor(tensor);
  const auto size = static_cast<double>(element_count(copied.shape) * bytes(copied.type));
  return 2 * size / off_chip_width(compilation_.architecture);
}

/// Back through what only shows its input; layers stand after those that they read.
void LayoutChooser::find_owners() {
  owners_.resize(network_.tensors.size());
  std::iota(owners_.begin(), owners_.end(), TensorId{0});
  for (const LayerPlan& layer : compilation_.layers) {
    const Operator& op = operator_of(layer);
    if (layer.placement == Placement::memory && shows_input(op)) owners_[op.outputs[0]] = owners_[op.inputs[0]];
  }
  touching_.assign(network_.tensors.size(), {});
  for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
    for (const WorkOperand& operand : compilation_.layers[l].work.operands) {
      if (operand.tensor == no_tensor) continue;
      auto& layers = touching_[owners_[operand.tensor]];
      if (layers.empty() || layers.back() != l) layers.push_back(l);
    }
  }
}

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
  const Operator& op = operator_of(compilation_.layers[l]);
  if (compilation_.homes[op.inputs[0]].side_by_side.count > 1) return;
  const std::string& name = network_.tensor(op.outputs[0]).name;
  if (weigh({.shown = l}, fmt::format("{} read where {} lies", name, network_.tensor(op.inputs[0]).name))) return;
  const TensorId source = owners_[op.inputs[0]];
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

/// Copies of parts that are worth it stand before the Concat then: how many.
std::size_t LayoutChooser::weigh_parts(std::size_t concat) {
  std::size_t copied = 0;
  const std::vector<TensorId> parts = operator_of(compilation_.layers[concat]).inputs;
  for (const TensorId part : parts) {
    const std::size_t at = concat + copied;
    if (compilation_.layers[at].placement != Placement::memory || copies_[at]) break;
    if (may_lie_apart(part) && weigh_part(at, part)) ++copied;
  }
  return copied;
}

/// Whether layers that touch the part may gain more than its copy takes, were its rows not torn apart in the whole.
bool LayoutChooser::may_lie_apart(TensorId part) {
  if (network_.tensor(part).is_constant() || owners_[part] != part) return false;
  double gained = 0;
  for (const std::size_t l : touching_[part]) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement == Placement::machine) gained += gain(layer, part);
  }
  return gained > least_copying(part);
}

/// Leaves the part where its readers and writer want it, and copies it into the whole, if that takes fewer cycles.
bool LayoutChooser::weigh_part(std::size_t concat, TensorId part) {
  auto& layers = compilation_.layers;
  const std::string what = fmt::format("{} apart from {}", network_.tensor(part).name,
                                       network_.tensor(operator_of(layers[concat]).outputs[0]).name);
  Home apart;
  apart.order = compilation_.homes[part].order;
  settle(apart, network_.tensor(part).shape, network_.tensor(part).type);
  if (!copy_part(compilation_, concat, part, apart)) return false;
  layers[concat].placement = Placement::machine;
  Homes homes = compilation_.homes;
  const auto copies = foresee_strides(network_, layers, homes);
  std::vector<std::size_t> affected = moved_layers(homes);
  std::erase(affected, concat);
  double cycles_now = 0;
  for (const std::size_t l : affected) cycles_now += cycles(layers[l]);
  std::swap(homes, compilation_.homes);
  assign(compilation_, layers[concat]);
  const bool possible = layers[concat].placement == Placement::machine && !copies[concat + 1];
  const double copying = possible ? cycles(layers[concat]) : never;
  std::vector<LayerPlan> plans;
  const double cycles_then = copying + cycles_with(affected, worth_ * cycles_now - copying, plans);
  if (cycles_then < worth_ * cycles_now) {
    for (std::size_t i = 0; i < affected.size(); ++i) layers[affected[i]] = std::move(plans[i]);
    copies_ = copies;
    find_owners();
    weigh_again(affected, {});
    compilation_.layouts.push_back(
        fmt::format("chosen: {}: {:.0f} cycles instead of {:.0f}", what, cycles_then, cycles_now));
    return true;
  }
  std::swap(homes, compilation_.homes);
  undo_copy(compilation_, concat);
  compilation_.layouts.push_back(fmt::format("refused: {}", what));
  return false;
}

/// The tensors in whose memory a layer reads and writes, of those that lie in the same order and may lie in another.
std::vector<TensorId> LayoutChooser::alike(const LayerPlan& layer, const Order& order) const {
  std::vector<TensorId> found;
  for (const WorkOperand& operand : layer.work.operands) {
    if (operand.tensor == no_tensor || network_.tensor(operand.tensor).is_constant()) continue;
    const TensorId owner = owners_[operand.tensor];
    if (compilation_.homes[owner].order != order || other_orders(owner).empty()) continue;
    if (std::ranges::count(found, owner) == 0) found.push_back(owner);
  }
  return found;
}

/// An image with all others that a layer around it touches: what works along rows of one writes rows of another.
void LayoutChooser::weigh_together(TensorId image) {
  const Order order = compilation_.homes[image].order;
  if (std::ranges::is_sorted(order)) return;
  for (const std::size_t l : touching_[image]) {
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

/// Cycles of the move if its bytes lay side by side.
double side_by_side(const Architecture& architecture, const TileCosts::Move& move) {
  const auto bytes = std::llround(move.source_bytes);
  TransferPiece piece;
  piece.extent = {bytes};
  piece.source_stride = piece.target_stride = {1};
  piece.bytes = piece.source_bytes = piece.contiguous = bytes;
  return transfer_timing(architecture, move.hop, piece).busy;
}

/// Whether the tensor's rows fill at most half of the words that they are read in or written from.
bool LayoutChooser::has_short_rows(TensorId tensor, const Use& use) const {
  const auto& order = compilation_.homes[tensor].order;
  const std::int64_t elements = order.empty() ? 1 : network_.tensor(tensor).shape[order.back()];
  const auto row = static_cast<double>(elements * bytes(use.type));
  return half_empty * row <= static_cast<double>(compilation_.architecture.memories[use.memory].word);
}

/// Cycles that the layer may gain at most if the tensor's memory lies otherwise: 0 unless it moves that piece by piece,
/// or in words that are half empty, and much of its time goes there.
double LayoutChooser::gain(const LayerPlan& layer, TensorId tensor) {
  const LayerSearch& known = search_once(compilation_, shared_, layer);
  if (known.kept.empty() || cycles(layer) * worth_ <= static_cast<double>(layer.bound.cycles)) return 0;
  const Mapping& mapping = known.kept.front().mapping;
  const Mapping first = parts_of(compilation_.machine, mapping).front();
  const Machine& machine = shared_.of(mapping);
  Geometry geometry(machine, network_, layer.work, compilation_.homes, first);
  const TileCosts costs = measure(machine, geometry, layer.work, first);
  const auto busy = shipped_cost_model().cost(machine, geometry, layer.work, first).unit_cycles;
  const double busiest = *std::ranges::max_element(busy);
  const bool matters = std::ranges::any_of(costs.moves, [&](const TileCosts::Move& move) {
    const TensorId moved = geometry.tensor(move.use);
    if (move.level != 0 || moved == no_tensor || geometry.is_constant(move.use) || owners_[moved] != tensor)
      return false;
    return busy[move.hop.unit] >= busy_enough * busiest &&
           (has_short_rows(moved, mapping.uses[move.use]) ||
            move.cycles > torn * side_by_side(machine.architecture, move));
  });
  return matters ? cycles(layer) - static_cast<double>(layer.bound.cycles) : 0;
}

/// Whether another order may be worth it: by what the layers that touch the tensor's memory may gain at most.
bool LayoutChooser::is_torn(TensorId tensor) {
  if (network_.tensor(tensor).is_constant() || owners_[tensor] != tensor || other_orders(tensor).empty()) return false;
  double sum = 0, gained = 0;
  for (const std::size_t l : touching_[tensor]) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement != Placement::machine) continue;
    sum += cycles(layer);
    gained += gain(layer, tensor);
  }
  return gained > (1 - worth_) * sum;
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

/// Whether the tensor lies in another's memory, or another in its.
bool LayoutChooser::shares(TensorId tensor) const {
  return owners_[tensor] != tensor || std::ranges::count(owners_, tensor) > 1;
}

/// A margin would take the tensor out of the memory that it is shown in.
bool LayoutChooser::grows_margin(const LayerPlan& layer, const Mapping& mapping) const {
  for (const auto& use : mapping.uses) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
    const WorkOperand& operand = layer.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant || !shares(operand.tensor)) continue;
    Home alone;
    alone.before.assign(operand.shape.size(), 0);
    alone.after.assign(operand.shape.size(), 0);
    reach(alone, operand.shape, use.access, mapping.extent);
    if (std::ranges::any_of(alone.before, [](auto n) { return n != 0; })) return true;
    if (std::ranges::any_of(alone.after, [](auto n) { return n != 0; })) return true;
  }
  return false;
}

/// The layer with the homes as they are now; on the host where it cannot stay on the machine.
LayerPlan LayoutChooser::replanned(std::size_t l) {
  const Bound before = compilation_.layers[l].bound;
  LayerPlan plan = without_mappings(compilation_.layers[l]);
  plan.turned_down.clear();
  assign(compilation_, plan);
  if (plan.macs >= 0) plan.bound = before;  // of its work as it was before its image was rearranged
  return plan;
}

/// By how much the layer misses its bound with the homes as they are now; `never` where it cannot. Equal layers are
/// asked once.
double LayoutChooser::missed(std::size_t l, std::optional<LayerPlan>& plan) {
  std::string key = search_key(compilation_, without_mappings(compilation_.layers[l]));
  for (const WorkOperand& operand : compilation_.layers[l].work.operands)
    key += operand.tensor != no_tensor && shares(operand.tensor) ? 's' : '-';
  if (compilation_.layers[l].macs >= 0) key += std::to_string(compilation_.layers[l].bound.cycles);
  const auto [known, fresh] = missed_.try_emplace(std::move(key), never);
  if (!fresh) return known->second;
  plan = replanned(l);
  if (plan->placement != Placement::machine) return never;
  const double missed = cycles(*plan) - static_cast<double>(plan->bound.cycles);
  const LayerSearch& found = search_once(compilation_, shared_, *plan);
  if (std::ranges::any_of(found.kept, [&](const auto& one) { return grows_margin(*plan, one.mapping); })) return never;
  return known->second = missed;
}

/// What these layers take with the homes as they are now, and their plans; `never` where they cannot, or take longer
/// than the limit.
double LayoutChooser::cycles_with(const std::vector<std::size_t>& affected, double limit,
                                  std::vector<LayerPlan>& plans) {
  double sum = 0;
  for (const std::size_t l : affected) sum += static_cast<double>(compilation_.layers[l].bound.cycles);
  std::vector<std::optional<LayerPlan>> made(affected.size());
  for (std::size_t i = 0; i < affected.size(); ++i) {
    if (sum >= limit) return never;
    sum += missed(affected[i], made[i]);
  }
  if (sum >= limit) return never;
  for (std::size_t i = 0; i < affected.size(); ++i)
    plans.push_back(made[i] ? *std::move(made[i]) : replanned(affected[i]));
  return sum;
}

/// Layers of the machine that touch what lies otherwise in these homes.
std::vector<std::size_t> LayoutChooser::moved_layers(const Homes& homes) const {
  std::vector<bool> moved(homes.size());
  for (std::size_t t = 0; t < homes.size(); ++t) moved[t] = homes[t].strides != compilation_.homes[t].strides;
  std::vector<std::size_t> affected;
  for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement == Placement::machine && is_operand(layer, moved)) affected.push_back(l);
  }
  return affected;
}

/// What else these layers touch may lie better now.
void LayoutChooser::weigh_again(const std::vector<std::size_t>& affected, const std::vector<TensorId>& changed) {
  for (const std::size_t l : affected) {
    for (const WorkOperand& operand : compilation_.layers[l].work.operands) {
      if (operand.tensor != no_tensor) open_.insert(owners_[operand.tensor]);
    }
  }
  for (const TensorId tensor : changed) open_.erase(tensor);
}

/// Takes the change if the layers that it touches take fewer cycles with it.
bool LayoutChooser::weigh(const Change& change, const std::string& what) {
  auto& layers = compilation_.layers;
  Homes homes = compilation_.homes;
  const Placement before = change.shown ? layers[*change.shown].placement : Placement::memory;
  double cycles_now = change.shown ? copying(layers[*change.shown]) : 0;
  for (const TensorId tensor : change.tensors) homes[tensor].order = change.order;
  if (change.shown) layers[*change.shown].placement = Placement::memory;
  const auto copies = foresee_strides(network_, layers, homes);
  const std::vector<std::size_t> affected = moved_layers(homes);
  if (change.shown) layers[*change.shown].placement = before;
  for (const std::size_t l : affected) cycles_now += cycles(layers[l]);
  if (change.shown) layers[*change.shown].placement = Placement::memory;
  std::swap(homes, compilation_.homes);
  std::vector<LayerPlan> plans;
  const double cycles_then = copies == copies_ ? cycles_with(affected, worth_ * cycles_now, plans) : never;
  if (cycles_then < worth_ * cycles_now) {
    for (std::size_t i = 0; i < affected.size(); ++i) layers[affected[i]] = std::move(plans[i]);
    if (change.shown) layers[*change.shown].mappings.clear();
    find_owners();
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
