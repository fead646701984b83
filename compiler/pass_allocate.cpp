#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "compiler/compilation.h"
#include "compiler/encoded_cycles.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/constant_home.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/verify.h"
#include "compiler/mapping_schedule.h"
#include "compiler/memory_sharing.h"
#include "compiler/network/passes/graph_index.h"

namespace accord {
namespace {

/// Decides how wide the margins are and what they hold, and which tensors share memory.
class HomePlanner {
 public:
  /// `not_copied`: parts of Concats, and what layers read, that the machine cannot copy.
  HomePlanner(Compilation& compilation, std::set<TensorId>& not_copied)
      : compilation_(compilation),
        network_(compilation.network),
        homes_(compilation.homes),
        index_(network_),
        not_copied_(not_copied),
        clean_(homes_) {}

  /// False where something is copied by layers of their own now: then homes are as they were, to be planned anew.
  bool run() {
    for (auto& layer : compilation_.layers) {
      // Without mappings, the machine's layer is another's neighbour (LayerAlone).
      if (layer.placement == Placement::machine && !layer.mappings.empty()) widen(layer);
    }
    if (compilation_.searches_copies && copy_for_readers()) return false;
    MemorySharing sharing(network_, homes_, outside_known_);
    const std::vector<bool> copies = sharing.run(compilation_.layers);
    if (compilation_.searches_copies && copy_lone_parts(sharing)) return false;
    for (std::size_t l = 0; l < copies.size(); ++l) {
      if (copies[l]) copy(compilation_.layers[l]);
    }
    for (const auto& [layer, part, why] : sharing.lone_parts()) {
      std::string& reason = compilation_.layers[layer].reason;
      if (compilation_.layers[layer].placement == Placement::host)
        reason = fmt::format("its part '{}' {}; {}", network_.tensors[part].name, why, reason);
    }
    for (auto& layer : compilation_.layers) {
      if (layer.placement == Placement::machine && !layer.mappings.empty()) drop_immovable(layer);
    }
    if (compilation_.searches_copies) search_slowed();
    return true;
  }

 private:
  void widen(LayerPlan& layer);
  bool widen(const LayerPlan& layer, const Mapping& mapping);
  bool copy_for_readers();
  bool copy_lone_parts(const MemorySharing& sharing);
  void copy(LayerPlan& layer);
  void keep_as_they_lie(LayerPlan& layer);
  bool is_legal(const LayerPlan& layer, const Mapping& mapping) const;
  void drop_immovable(LayerPlan& layer);
  void search_slowed();
  bool never_negative(TensorId tensor);
  double outside_for(const LayerPlan& layer, const Use& use);

  Compilation& compilation_;
  const Network& network_;
  Homes& homes_;
  const GraphIndex index_;
  std::set<TensorId>& not_copied_;
  const Homes clean_;  ///< before any margin
  std::set<TensorId> outside_known_;
  std::map<TensorId, bool> never_negative_;  ///< those asked for
  TensorId disputed_ = no_tensor;            ///< whose margin the last mapping that was left out wants otherwise
  struct Dispute {
    std::size_t layer;
    TensorId tensor;
    std::vector<Mapping> mappings;  ///< of the layer, which is on the host for them
  };
  std::vector<Dispute> disputes_;
};

/// Whether what lies in the tensor's margin makes a difference to the mapping: integers times a constant's zeros are 0
/// whatever they are, floats may be infinite.
bool minds_margin(const LayerPlan& layer, const Mapping& mapping, const Use& use) {
  if (is_float(layer.work.program.operands[use.access.operand].type)) return true;
  Home home;
  rely(home, layer.work, mapping, use);
  return std::ranges::find(home.relied, true) != home.relied.end();
}

/// Proven from the operators: rectified values and what only selects among them.
bool HomePlanner::never_negative(TensorId tensor) {
  if (const auto known = never_negative_.find(tensor); known != never_negative_.end()) return known->second;
  const int producer = index_.producer(tensor);
  if (producer < 0) return false;
  const Operator& op = network_.operators[static_cast<std::size_t>(producer)];
  bool result = op.type == "Requantize" && attribute(op, "lo", -1.0) >= 0;
  if (op.type == "MaxPool" || op.type == "Concat" || op.type == "Reshape")
    result = std::ranges::all_of(op.inputs, [&](TensorId t) { return never_negative(t); });
  return never_negative_[tensor] = result;
}

/// What reads beyond the tensor must yield; padding that never wins may be 0 where no value is negative.
double HomePlanner::outside_for(const LayerPlan& layer, const Use& use) {
  const WorkOperand& operand = layer.work.operands[use.access.operand];
  if (operand.outside == 0) return 0;
  const bool never_wins = std::ranges::all_of(layer.work.program.statements, [&](const Statement& statement) {
    return statement.reduction == Reduction::max || std::ranges::none_of(statement.accesses, [&](const Access& access) {
             return access.operand == use.access.operand;
           });
  });
  return never_wins && never_negative(operand.tensor) ? 0 : operand.outside;
}

constexpr double slowed = 1.1;          // times the predicted cycles, by others' margins: searched again
constexpr double most_tried = 100'000;  // operations of a mapping that is lowered to see whether it can be expressed

/// Widens the margins of the layer's tensors that are not constant to what the mapping reaches, and relies on.
void reach_all(const LayerPlan& layer, const Mapping& mapping, std::map<TensorId, Home>& homes) {
  for (const Use& use : mapping.uses) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) continue;
    const WorkOperand& operand = layer.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) continue;
    Home& home = homes[operand.tensor];
    home.before.resize(operand.shape.size(), 0);
    home.after.resize(operand.shape.size(), 0);
    reach(home, operand.shape, use.access, mapping.extent);
    if (use.role == UseRole::output) continue;
    rely(home, layer.work, mapping, use);
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

/// Margins for every mapping that may be used. One that wants other content in them than another reader does is left
/// out; the layer goes to the host where none is left.
void HomePlanner::widen(LayerPlan& layer) {
  drop_margins_behind(compilation_, layer);
  const auto takes = [&](const Mapping& mapping) {
    std::map<TensorId, Home> before;
    for (const WorkOperand& operand : layer.work.operands) {
      if (operand.tensor != no_tensor) before.emplace(operand.tensor, homes_[operand.tensor]);
    }
    const std::set<TensorId> known = outside_known_;
    if (widen(layer, mapping)) return true;
    for (auto& [tensor, home] : before) homes_[tensor] = std::move(home);
    outside_known_ = known;
    return false;
  };
  std::vector<Mapping> taken, left_out;
  for (Mapping& mapping : layer.mappings) (takes(mapping) ? taken : left_out).push_back(std::move(mapping));
  layer.mappings = std::move(taken);
  if (!layer.mappings.empty()) return;
  layer.placement = Placement::host;
  layer.reason = "its padding value differs from what another reader of the tensor needs";
  const auto place = static_cast<std::size_t>(&layer - compilation_.layers.data());
  disputes_.push_back({place, disputed_, std::move(left_out)});
}

/// Layers that want another value in a margin read copies, which the machine makes. Whether there are any.
bool HomePlanner::copy_for_readers() {
  std::map<TensorId, TensorId> copies;
  std::size_t before = 0;  // layers that copy, which stand there now
  for (Dispute& dispute : disputes_) {
    const TensorId read = dispute.tensor;
    if (not_copied_.contains(read)) continue;
    const std::size_t place = dispute.layer + before;
    if (const auto made = copies.find(read); made != copies.end()) {
      read_instead(compilation_, compilation_.layers[place], read, made->second);
    } else {
      const TensorId copy = copy_for_reader(compilation_, place, read, clean_[static_cast<std::size_t>(read)]);
      if (copy == no_tensor) {
        not_copied_.insert(read);
        continue;
      }
      copies.emplace(read, copy);
      ++before;
    }
    LayerPlan& reader = compilation_.layers[dispute.layer + before];
    reader.placement = Placement::machine;
    reader.reason.clear();
    reader.mappings = std::move(dispute.mappings);
  }
  if (!copies.empty()) std::ranges::copy(clean_, homes_.begin());
  return !copies.empty();
}

/// False where the mapping wants other content in a margin than is known.
bool HomePlanner::widen(const LayerPlan& layer, const Mapping& mapping) {
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
    const auto has_margin = [](const Home& home) {
      const auto some = [](std::int64_t elements) { return elements != 0; };
      return std::ranges::any_of(home.before, some) || std::ranges::any_of(home.after, some);
    };
    Home reached = homes_[operand.tensor];
    reach(reached, operand.shape, use.access, mapping.extent);
    if (!has_margin(reached) || use.role == UseRole::output || !minds_margin(layer, mapping, use)) {
      homes_[operand.tensor] = reached;
      continue;
    }
    if (!has_margin(margins_of(operand.shape, use.access, mapping.extent))) continue;
    const double outside = outside_for(layer, use);
    if (outside_known_.count(operand.tensor) != 0 && reached.outside != outside) {
      disputed_ = operand.tensor;
      return false;
    }
    reached.outside = outside;
    homes_[operand.tensor] = reached;
    outside_known_.insert(operand.tensor);
    rely(homes_[operand.tensor], layer.work, mapping, use);
  }
  return true;
}

/// Whether any becomes a layer of its own, which the machine copies.
bool HomePlanner::copy_lone_parts(const MemorySharing& sharing) {
  bool some = false;
  const auto& lone = sharing.lone_parts();
  for (auto part = lone.rbegin(); part != lone.rend(); ++part) {  // the last first: layers before it keep their places
    if (not_copied_.contains(part->part)) continue;
    if (copy_part(compilation_, part->layer, part->part, clean_[static_cast<std::size_t>(part->part)]))
      some = true;
    else
      not_copied_.insert(part->part);
  }
  if (some) std::ranges::copy(clean_, homes_.begin());
  return some;
}

/// The machine copies where it can, all tensors as they lie, else the host does.
void HomePlanner::copy(LayerPlan& layer) {
  if (compilation_.searches_copies) {
    layer.placement = Placement::machine;
    search_late(compilation_, layer);
    keep_as_they_lie(layer);
    if (!layer.mappings.empty()) return;
  }
  layer.placement = Placement::host;
  layer.reason = "rearranges data that cannot share memory" + (layer.reason.empty() ? "" : "; " + layer.reason);
}

/// Leaves the mappings that change no margin.
void HomePlanner::keep_as_they_lie(LayerPlan& layer) {
  std::erase_if(layer.mappings, [&](const Mapping& mapping) {
    const Homes homes = homes_;
    const std::set<TensorId> known = outside_known_;
    const bool as_they_lie = widen(layer, mapping) && homes_ == homes && outside_known_ == known;
    homes_ = homes;
    outside_known_ = known;
    return !as_they_lie || !is_legal(layer, mapping);
  });
}

/// Whether the mapping is legal as the tensors lie now: transfers can move its tiles, and these have room.
bool HomePlanner::is_legal(const LayerPlan& layer, const Mapping& mapping) const {
  return verify(compilation_.machine, network_, layer.work, homes_, mapping).empty();
}

/// Margins for a reader tear apart what another mapping takes side by side. A layer that is left without mappings is
/// searched again, for such as take all homes as they are.
void HomePlanner::drop_immovable(LayerPlan& layer) {
  const auto immovable = [&](const Mapping& mapping) { return !is_legal(layer, mapping); };
  std::erase_if(layer.mappings, immovable);
  if (!layer.mappings.empty()) return;
  layer.mappings = search_again(compilation_, layer);
  keep_as_they_lie(layer);
  if (!layer.mappings.empty()) return;
  layer.placement = Placement::host;
  layer.reason =
      "its tensors lie with margins that others need, as which no transfer can move its tiles, or for which these have "
      "no room";
}

/// Where the margins of others make a layer's mapping slow, another may be quicker, which takes all homes as they are.
void HomePlanner::search_slowed() {
  SharedMachines shared(compilation_.machine);
  for (LayerPlan& layer : compilation_.layers) {
    if (layer.placement != Placement::machine || layer.mappings.empty()) continue;
    const Mapping& best = layer.mappings.front();
    const bool moved = std::ranges::any_of(layer.work.operands, [&](const WorkOperand& operand) {
      return operand.tensor != no_tensor && homes_[operand.tensor].strides != clean_[operand.tensor].strides;
    });
    if (!moved || !best.scheduled) continue;
    const double cycles = MappingSchedule(compilation_, shared, layer, best).run().cycles;
    if (cycles <= slowed * best.predicted_cycles) continue;
    LayerPlan other = layer;
    other.mappings = search_again(compilation_, layer);
    keep_as_they_lie(other);
    if (other.mappings.empty() || !other.mappings.front().scheduled) continue;
    if (other.mappings.front().predicted_cycles * slowed >= cycles) continue;
    // Behind them those at hand, should no instructions express any of the others.
    std::ranges::move(layer.mappings, std::back_inserter(other.mappings));
    layer.mappings = std::move(other.mappings);
  }
}

}  // namespace

void allocate_pass(Compilation& compilation) {
  std::set<TensorId> not_copied;
  while (!HomePlanner(compilation, not_copied).run()) {
  }
}

}  // namespace accord
