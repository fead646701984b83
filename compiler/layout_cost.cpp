#include "compiler/layout_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "compiler/mapping/cost_model.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/timing.h"
#include "compiler/mapping/views.h"
#include "compiler/memory_sharing.h"

namespace accord {
namespace {

constexpr double quicker = 0.95;           ///< of the cycles as it stands: what another layout must promise
constexpr double quicker_in_order = 0.75;  ///< where turns of hardware loops are in order: schedules see less of them
constexpr double torn = 1.5;               ///< times what its bytes take side by side: a tensor that may lie better
constexpr double half_empty = 2;           ///< times a row of the tensor is at most a word: so may one of few channels
constexpr double busy_enough = 0.7;        ///< of the busiest unit's cycles: a mover that is worth making quicker
constexpr double padded = 1.5;             ///< times the bound: a unit's padding, of which another layout may have less

bool is_operand(const LayerPlan& layer, const std::vector<bool>& tensors) {
  return std::ranges::any_of(layer.work.operands, [&](const WorkOperand& operand) {
    return operand.tensor != no_tensor && tensors[static_cast<std::size_t>(operand.tensor)];
  });
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

}  // namespace

LayoutCost::LayoutCost(Compilation& compilation)
    : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {
  Homes homes = compilation.homes;
  copies_ = foresee_strides(network_, compilation.layers, homes);
  const bool in_order = compilation.architecture.sync.kind == Sync::Kind::in_order;
  worth_ = in_order && compilation.machine.rolls ? quicker_in_order : quicker;
  find_owners();
}

/// Back through what only shows its input; layers stand after those that they read.
void LayoutCost::find_owners() {
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

double LayoutCost::cycles(const LayerPlan& layer) {
  return search_once(compilation_, shared_, layer).predicted_cycles();
}

double LayoutCost::cycles(const std::vector<std::size_t>& layers) {
  double sum = 0;
  for (const std::size_t l : layers) sum += cycles(compilation_.layers[l]);
  return sum;
}

double LayoutCost::copying(const LayerPlan& layer) {
  return layer.placement == Placement::machine ? cycles(layer) : least_copying(operator_of(layer).outputs[0]);
}

double LayoutCost::least_copying(TensorId tensor) const {
  const Tensor& copied = network_.tensor(tensor);
  const auto size = static_cast<double>(element_count(copied.shape) * bytes(copied.type));
  return 2 * size / off_chip_width(compilation_.architecture);
}

/// Whether the tensor's rows fill at most half of the words that they are read in or written from.
bool LayoutCost::has_short_rows(TensorId tensor, const Use& use) const {
  const auto& order = compilation_.homes[tensor].order;
  const std::int64_t elements = order.empty() ? 1 : network_.tensor(tensor).shape[order.back()];
  const auto row = static_cast<double>(elements * bytes(use.type));
  return half_empty * row <= static_cast<double>(compilation_.architecture.memories[use.memory].word);
}

double LayoutCost::gain(const LayerPlan& layer, TensorId tensor) {
  const LayerSearch& known = search_once(compilation_, shared_, layer);
  if (known.kept.empty() || cycles(layer) * worth_ <= static_cast<double>(layer.bound.cycles)) return 0;
  const Mapping& mapping = known.kept.front().mapping;
  const Mapping first = parts_of(compilation_.machine, mapping).front();
  const Machine& machine = shared_.of(mapping);
  Geometry geometry(machine, network_, layer.work, compilation_.homes, first);
  const TileCosts& costs = geometry.tile_costs();
  const auto busy = shipped_cost_model().cost(machine, geometry, layer.work, first).unit_cycles;
  const double busiest = most_of(busy);
  const bool is_padded = layer.bound.cycles > 0 && busiest > padded * static_cast<double>(layer.bound.cycles);
  const bool matters = std::ranges::any_of(costs.moves, [&](const TileCosts::Move& move) {
    const TensorId moved = geometry.tensor(move.use);
    if (moved == no_tensor || geometry.is_constant(move.use) || owners_[moved] != tensor) return false;
    return (is_padded || busy.of(move.hop.unit) >= busy_enough * busiest) &&
           (has_short_rows(moved, mapping.uses[move.use]) ||
            move.cycles > torn * side_by_side(machine.architecture, move));
  });
  return matters ? cycles(layer) - static_cast<double>(layer.bound.cycles) : 0;
}

/// Whether the tensor lies in another's memory, or another in its.
bool LayoutCost::shares(TensorId tensor) const {
  return owners_[tensor] != tensor || std::ranges::count(owners_, tensor) > 1;
}

/// A margin would take the tensor out of the memory that it is shown in.
bool LayoutCost::grows_margin(const LayerPlan& layer, const Mapping& mapping) const {
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
LayerPlan LayoutCost::replanned(std::size_t l) {
  const Bound before = compilation_.layers[l].bound;
  LayerPlan plan = without_mappings(compilation_.layers[l]);
  plan.turned_down.clear();
  assign(compilation_, plan);
  if (plan.macs >= 0) plan.bound = before;  // of its work as it was before its image was rearranged
  return plan;
}

/// By how much the layer misses its bound with the homes as they are now; `never` where it cannot. Equal layers are
/// asked once.
double LayoutCost::missed(std::size_t l, std::optional<LayerPlan>& plan) {
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

double LayoutCost::cycles_with(const std::vector<std::size_t>& layers, double limit, std::vector<LayerPlan>& plans) {
  double sum = 0;
  for (const std::size_t l : layers) sum += static_cast<double>(compilation_.layers[l].bound.cycles);
  std::vector<std::optional<LayerPlan>> made(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (sum >= limit) return never;
    sum += missed(layers[i], made[i]);
  }
  if (sum >= limit) return never;
  for (std::size_t i = 0; i < layers.size(); ++i) plans.push_back(made[i] ? *std::move(made[i]) : replanned(layers[i]));
  return sum;
}

std::vector<std::size_t> LayoutCost::moved_layers(const Homes& homes) const {
  std::vector<bool> moved(homes.size());
  for (std::size_t t = 0; t < homes.size(); ++t) moved[t] = homes[t].strides != compilation_.homes[t].strides;
  std::vector<std::size_t> affected;
  for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
    const LayerPlan& layer = compilation_.layers[l];
    if (layer.placement == Placement::machine && is_operand(layer, moved)) affected.push_back(l);
  }
  return affected;
}

void LayoutCost::take(const std::vector<std::size_t>& layers, std::vector<LayerPlan> plans, std::vector<bool> copies) {
  for (std::size_t i = 0; i < layers.size(); ++i) compilation_.layers[layers[i]] = std::move(plans[i]);
  copies_ = std::move(copies);
  find_owners();
}

}  // namespace accord
