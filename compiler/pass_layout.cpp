#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/constant_home.h"
#include "compiler/mapping/cost_model.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/timing.h"
#include "compiler/mapping/views.h"
#include "compiler/memory_sharing.h"

namespace accord {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double quicker = 0.95;           ///< of the cycles as it stands: what another layout must promise
constexpr double quicker_in_order = 0.75;  ///< where turns of hardware loops are in order: schedules see less of them
constexpr double torn = 1.5;               ///< times what its bytes take side by side: a tensor that may lie better

/// Weighs for tensors that layers hand on which of their indices lies innermost, and whether a Transpose or Slice that
/// would tear rows apart is worth copying its input: by the predictions of all layers that read or write what changes.
class LayoutChooser {
 public:
  explicit LayoutChooser(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {
    Homes homes = compilation.homes;
    copies_ = foresee_strides(network_, compilation.layers, homes);
    const Architecture& architecture = compilation.architecture;
    const bool loops = architecture.sync.kind == Sync::Kind::in_order && architecture.controller.loop_depth > 0;
    worth_ = loops ? quicker_in_order : quicker;
    find_owners();
  }

  void run() {
    for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
      if (is_copy(compilation_.layers[l])) weigh_view(l);
    }
    find_read_at_home();
    for (std::size_t t = 0; t < network_.tensors.size(); ++t) {
      const auto tensor = static_cast<TensorId>(t);
      if (is_torn(tensor) || read_at_home_[t]) weigh_orders(tensor);
    }
  }

 private:
  using Order = std::vector<std::size_t>;

  /// Another layout: a tensor's order, and a layer that no longer copies.
  struct Change {
    TensorId tensor = no_tensor;
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

  void weigh_view(std::size_t layer);
  void weigh_orders(TensorId tensor);
  bool is_torn(TensorId tensor);
  double gain(const LayerPlan& layer, TensorId tensor);
  std::vector<Order> other_orders(TensorId tensor) const;
  void find_owners();
  void find_read_at_home();
  bool weigh(const Change& change, const std::string& what);
  double cycles_with(const std::vector<std::size_t>& affected, double limit, std::vector<LayerPlan>& plans);
  bool grows_margin(const LayerPlan& layer, const Mapping& mapping) const;
  double cycles(const LayerPlan& layer);
  double copying(const LayerPlan& layer);

  Compilation& compilation_;
  const Network& network_;
  SharedMachines shared_;
  double worth_ = quicker;
  std::vector<TensorId> owners_;    ///< per tensor: in whose memory it lies
  std::vector<bool> read_at_home_;  ///< per tensor
  std::vector<bool> copies_;        ///< of the layers that share memory: those that will not be able to
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
  if (layer.placement == Placement::machine) return cycles(layer);
  const Tensor& result = network_.tensor(operator_of(layer).outputs[0]);
  const auto size = static_cast<double>(element_count(result.shape) * bytes(result.type));
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
}

/// The tensor's order with each other index innermost. Images stay with their channels there: windows, margins and rows
/// side by side count on it.
std::vector<LayoutChooser::Order> LayoutChooser::other_orders(TensorId tensor) const {
  const Order& order = compilation_.homes[tensor].order;
  const Shape& shape = network_.tensor(tensor).shape;
  if (!std::ranges::is_sorted(order)) return {};
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
  const std::string& name = network_.tensor(op.outputs[0]).name;
  if (weigh({.shown = l}, fmt::format("{} read where {} lies", name, network_.tensor(op.inputs[0]).name))) return;
  const TensorId source = owners_[op.inputs[0]];
  for (const Order& order : other_orders(source)) {
    const std::string& source_name = network_.tensor(source).name;
    if (weigh({source, order, l},
              fmt::format("{} read where {} lies, index {} innermost", name, source_name, order.back())))
      return;
  }
}

void LayoutChooser::weigh_orders(TensorId tensor) {
  for (const Order& order : other_orders(tensor)) {
    if (weigh({.tensor = tensor, .order = order},
              fmt::format("{} with index {} innermost", network_.tensor(tensor).name, order.back())))
      return;
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

/// Cycles that the layer may gain at most if what it moves of the tensor's memory lies side by side: until another unit
/// is the busiest. Only products of matrices care which index lies innermost.
double LayoutChooser::gain(const LayerPlan& layer, TensorId tensor) {
  if (macs_of(layer.work) == 0) return 0;
  const LayerSearch& known = search_once(compilation_, shared_, layer);
  if (known.kept.empty() || cycles(layer) * worth_ <= static_cast<double>(layer.bound.cycles)) return 0;
  const Mapping& mapping = known.kept.front().mapping;
  const Mapping first = parts_of(compilation_.machine, mapping).front();
  const Machine& machine = shared_.of(mapping);
  Geometry geometry(machine, network_, layer.work, compilation_.homes, first);
  const TileCosts costs = measure(machine, geometry, layer.work, first);
  auto busy = shipped_cost_model().cost(machine, geometry, layer.work, first).unit_cycles;
  double greatest = 0;
  for (const TileCosts::Move& move : costs.moves) {
    const TensorId moved = geometry.tensor(move.use);
    if (move.level != 0 || moved == no_tensor || geometry.is_constant(move.use) || owners_[moved] != tensor) continue;
    if (move.cycles <= torn * side_by_side(machine.architecture, move)) continue;
    greatest = std::max(greatest, std::exchange(busy[move.hop.unit], 0));
  }
  const double others = *std::ranges::max_element(busy);
  return std::max(0.0, greatest - std::max(others, static_cast<double>(layer.bound.cycles)));
}

/// Whether another order may be worth it: by what the layers that touch the tensor's memory may gain at most.
bool LayoutChooser::is_torn(TensorId tensor) {
  if (network_.tensor(tensor).is_constant() || owners_[tensor] != tensor || other_orders(tensor).empty()) return false;
  std::vector<bool> inside(owners_.size());
  for (std::size_t t = 0; t < inside.size(); ++t) inside[t] = owners_[t] == tensor;
  double sum = 0, gained = 0;
  for (const LayerPlan& layer : compilation_.layers) {
    if (layer.placement != Placement::machine || !is_operand(layer, inside)) continue;
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

/// A margin would take the tensor out of the memory that it is shown in.
bool LayoutChooser::grows_margin(const LayerPlan& layer, const Mapping& mapping) const {
  for (const auto& use : mapping.uses) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
    const WorkOperand& operand = layer.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) continue;
    Home alone;
    alone.before.assign(operand.shape.size(), 0);
    alone.after.assign(operand.shape.size(), 0);
    reach(alone, operand.shape, use.access, mapping.extent);
    if (std::ranges::any_of(alone.before, [](auto n) { return n != 0; })) return true;
    if (std::ranges::any_of(alone.after, [](auto n) { return n != 0; })) return true;
  }
  return false;
}

/// What these layers take with the homes as they are now, and their plans; `never` where they cannot, or take longer
/// than the limit.
double LayoutChooser::cycles_with(const std::vector<std::size_t>& affected, double limit,
                                  std::vector<LayerPlan>& plans) {
  double sum = 0;
  for (const std::size_t l : affected) sum += static_cast<double>(compilation_.layers[l].bound.cycles);
  for (const std::size_t l : affected) {
    const bool interleaved = compilation_.layers[l].macs >= 0;  // weighed already, with what it reads
    if (sum >= limit || interleaved) return never;
    LayerPlan plan = without_mappings(compilation_.layers[l]);
    plan.turned_down.clear();
    assign(compilation_, plan);
    if (plan.placement != Placement::machine) return never;
    sum += cycles(plan) - static_cast<double>(plan.bound.cycles);
    const LayerSearch& known = search_once(compilation_, shared_, plan);
    if (std::ranges::any_of(known.kept, [&](const auto& found) { return grows_margin(plan, found.mapping); }))
      return never;
    plans.push_back(std::move(plan));
  }
  return sum;
}

/// Takes the change if the layers that it touches take fewer cycles with it.
bool LayoutChooser::weigh(const Change& change, const std::string& what) {
  auto& layers = compilation_.layers;
  Homes homes = compilation_.homes;
  const Placement before = change.shown ? layers[*change.shown].placement : Placement::memory;
  double cycles_now = change.shown ? copying(layers[*change.shown]) : 0;
  if (change.tensor != no_tensor) homes[change.tensor].order = change.order;
  if (change.shown) layers[*change.shown].placement = Placement::memory;
  const auto copies = foresee_strides(network_, layers, homes);
  std::vector<bool> moved(homes.size());
  for (std::size_t t = 0; t < homes.size(); ++t) moved[t] = homes[t].strides != compilation_.homes[t].strides;
  std::vector<std::size_t> affected;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l].placement == Placement::machine && is_operand(layers[l], moved)) affected.push_back(l);
  }
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
