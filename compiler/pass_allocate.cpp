#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/compilation.h"
#include "compiler/encoded_cycles.h"
#include "compiler/mapping/constant_home.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping_schedule.h"
#include "compiler/memory_sharing.h"

namespace accord {
namespace {

/// Decides how wide the margins are and what they hold, and which tensors share memory.
class HomePlanner {
 public:
  explicit HomePlanner(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), homes_(compilation.homes) {}

  void run() {
    for (auto& layer : compilation_.layers) {
      if (layer.placement == Placement::machine) widen(layer);
    }
    const std::vector<bool> copies = MemorySharing(network_, homes_, outside_known_).run(compilation_.layers);
    for (std::size_t l = 0; l < copies.size(); ++l) {
      if (copies[l]) copy(compilation_.layers[l]);
    }
  }

 private:
  void widen(LayerPlan& layer);
  void rely(const WorkOperand& operand, const Use& use, const std::vector<std::int64_t>& extents);
  static void copy(LayerPlan& layer);
  bool never_negative(TensorId tensor) const;
  double outside_for(const LayerPlan& layer, const Use& use) const;
  const Operator* producer(TensorId tensor) const;

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
double HomePlanner::outside_for(const LayerPlan& layer, const Use& use) const {
  const WorkOperand& operand = layer.work.operands[use.access.operand];
  if (operand.outside == 0) return 0;
  const bool never_wins = std::ranges::all_of(layer.work.program.statements, [&](const Statement& statement) {
    return statement.reduction == Reduction::max || std::ranges::none_of(statement.accesses, [&](const Access& access) {
             return access.operand == use.access.operand;
           });
  });
  return never_wins && never_negative(operand.tensor) ? 0 : operand.outside;
}

constexpr double most_tried = 100'000;  // operations of a mapping that is lowered to see whether it can be expressed

/// Widens the margins of the layer's tensors that are not constant to what the mapping reaches.
void reach_all(const LayerPlan& layer, const Mapping& mapping, std::map<TensorId, Home>& homes) {
  for (const Use& use : mapping.uses) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
    const WorkOperand& operand = layer.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) continue;
    Home& home = homes[operand.tensor];
    home.before.resize(operand.shape.size(), 0);
    home.after.resize(operand.shape.size(), 0);
    reach(home, operand.shape, use.access, mapping.extent);
  }
}

/// Whether the mapping wants margins that these homes do not have.
bool is_wider(const LayerPlan& layer, const Mapping& mapping, const std::map<TensorId, Home>& homes) {
  auto reached = homes;
  reach_all(layer, mapping, reached);
  return reached != homes;
}

/// What stands behind the best mapping, for the case that this cannot be expressed, must not make room around tensors
/// that would lie closer, and might share memory, without it.
void drop_margins_behind(const Compilation& compilation, LayerPlan& layer) {
  if (layer.mappings.size() < 2) return;
  const Mapping& best = layer.mappings.front();
  std::map<TensorId, Home> homes;
  reach_all(layer, best, homes);
  const auto needless = [&](const Mapping& mapping) { return is_wider(layer, mapping, homes); };
  const auto behind = layer.mappings.begin() + 1;
  if (std::none_of(behind, layer.mappings.end(), needless)) return;
  if (expected_operations(compilation, layer, best) > most_tried || !encodes(compilation, layer, best)) return;
  layer.mappings.erase(std::remove_if(behind, layer.mappings.end(), needless), layer.mappings.end());
}

/// Margins for every mapping that may be used; a conflict about their content sends the layer to the host.
void HomePlanner::widen(LayerPlan& layer) {
  drop_margins_behind(compilation_, layer);
  for (const auto& mapping : layer.mappings) {
    for (const auto& use : mapping.uses) {
      if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
      const WorkOperand& operand = layer.work.operands[use.access.operand];
      if (operand.tensor == no_tensor) continue;
      if (operand.constant) {
        // Beyond a constant is 0; its tiles bring that along, what a unit reads where it lies has a margin.
        if (reads_constant_at_home(network_, layer.work, use))
          reach(homes_[operand.tensor], operand.shape, use.access, mapping.extent);
        continue;
      }
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
      const double outside = outside_for(layer, use);
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

void HomePlanner::copy(LayerPlan& layer) {
  layer.placement = Placement::host;
  layer.reason = "rearranges data that cannot share memory";
}

}  // namespace

void allocate_pass(Compilation& compilation) { HomePlanner(compilation).run(); }

}  // namespace accord
