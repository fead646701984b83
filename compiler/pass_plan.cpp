#include <algorithm>
#include <numeric>
#include <tuple>

#include "compiler/compilation.h"
#include "compiler/mapping/memory_plan.h"
#include "compiler/mapping/padding.h"

namespace accord {
namespace {

constexpr std::int64_t alignment = 64;  ///< bytes; a request never straddles more memory words than it must
/// Layers that may be under way beside one that reads a tensor: its memory is not written again before.
constexpr int overlap = 1;

/// Off-chip addresses of the tensors that layers hand on: tensors whose lifetimes do not meet share memory.
class TensorPlanner {
 public:
  explicit TensorPlanner(Compilation& compilation)
      : network_(compilation.network),
        layers_(compilation.layers),
        homes_(compilation.homes),
        lives_(homes_.size()),
        compilation_(compilation) {}

  void run() {
    find_lives();
    for (const auto& layer : layers_) find_written_margins(layer);
    gather();
    place();
  }

 private:
  struct Life {
    int first = -1;  ///< layer; -1: no layer hands it on
    int last = -1;
    bool margin_written = false;
  };
  /// Tensors that take turns at one place.
  struct Slot {
    std::vector<TensorId> tensors;
    Occupant occupant;
  };

  TensorId root(TensorId tensor) const {
    while (homes_[tensor].alias >= 0) tensor = homes_[tensor].alias;
    return tensor;
  }
  void touch(TensorId tensor, int layer);
  void find_lives();
  void find_written_margins(const LayerPlan& layer);
  bool same_frame(TensorId a, TensorId b) const;
  void add(TensorId tensor);
  void gather();
  void place();

  const Network& network_;
  const std::vector<LayerPlan>& layers_;
  Homes& homes_;
  std::vector<Life> lives_;  ///< of roots
  std::vector<Slot> slots_;
  Compilation& compilation_;
};

void TensorPlanner::touch(TensorId tensor, int layer) {
  Life& life = lives_[root(tensor)];
  life.first = life.first < 0 ? layer : std::min(life.first, layer);
  life.last = std::max(life.last, layer);
}

void TensorPlanner::find_lives() {
  const int end = static_cast<int>(layers_.size());
  for (const TensorId t : network_.inputs) touch(t, 0);
  for (int i = 0; i < end; ++i) {
    for (const TensorId t : layers_[i].outputs) touch(t, i);
    // A layer in strips hands its result on with the last, and writes it from the first on.
    const Work& work = layers_[i].work;
    const TensorId result = work.operands[work.program.statements.back().target.operand].tensor;
    if (result != no_tensor && layers_[i].chain >= 0) touch(result, i);
  }
  for (int i = 0; i < end; ++i) {
    for (const int op : layers_[i].group.operators) {
      for (const TensorId t : network_.operators[op].inputs) {
        if (t != no_tensor && lives_[root(t)].first >= 0) touch(t, std::min(i + overlap, end));
      }
    }
  }
  for (const TensorId t : network_.outputs) touch(t, end);
}

/// Results whose extents are padded to a capability's multiple reach into the margin.
void TensorPlanner::find_written_margins(const LayerPlan& layer) {
  for (const auto& mapping : layer.mappings) {
    for (const auto& use : mapping.uses) {
      if (use.role != UseRole::output || use.access.operand < 0) continue;
      const WorkOperand& operand = layer.work.operands[use.access.operand];
      if (operand.tensor == no_tensor) continue;
      Home reached;
      reached.before.assign(operand.shape.size(), 0);
      reached.after.assign(operand.shape.size(), 0);
      reach(reached, operand.shape, use.access,
            written_extents(work_of(layer.work, mapping), mapping, use, homes_[operand.tensor]));
      const auto inside = [](std::int64_t margin) { return margin == 0; };
      const bool stays = std::all_of(reached.before.begin(), reached.before.end(), inside) &&
                         std::all_of(reached.after.begin(), reached.after.end(), inside);
      if (!stays) lives_[root(operand.tensor)].margin_written = true;
    }
  }
}

/// Whether the same bytes are margin, with the same values, and remain so.
bool TensorPlanner::same_frame(TensorId a, TensorId b) const {
  const auto frame = [&](TensorId t) {
    const Home& h = homes_[t];
    return std::tie(network_.tensors[t].type, h.bytes, h.origin, h.strides, h.before, h.after, h.outside);
  };
  return !lives_[a].margin_written && !lives_[b].margin_written && frame(a) == frame(b);
}

/// A margin is in memory from the start, so its tensor's bytes are taken until nobody reads them; tensors with the same
/// frame may follow each other inside it.
void TensorPlanner::add(TensorId tensor) {
  const Home& home = homes_[tensor];
  const Life& life = lives_[tensor];
  if (home.has_margin()) {
    for (Slot& slot : slots_) {
      if (slot.occupant.last >= life.first || !same_frame(slot.tensors[0], tensor)) continue;
      slot.tensors.push_back(tensor);
      slot.occupant.last = life.last;
      return;
    }
  }
  slots_.push_back({{tensor}, {home.bytes, home.has_margin() ? 0 : life.first, life.last}});
}

/// In the order in which they begin, so that frames are shared by as many as can be.
void TensorPlanner::gather() {
  std::vector<TensorId> begun;
  for (std::size_t t = 0; t < homes_.size(); ++t) {
    if (homes_[t].alias < 0 && homes_[t].memory < 0 && lives_[t].first >= 0) begun.push_back(static_cast<TensorId>(t));
  }
  std::stable_sort(begun.begin(), begun.end(),
                   [&](TensorId a, TensorId b) { return lives_[a].first < lives_[b].first; });
  for (const TensorId t : begun) add(t);
}

void TensorPlanner::place() {
  std::vector<Occupant> occupants;
  for (const Slot& slot : slots_) occupants.push_back(slot.occupant);
  const MemoryPlan plan = plan_memory(occupants, alignment);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    for (const TensorId t : slots_[s].tensors) homes_[t].address = plan.offsets[s] + homes_[t].origin;
  }
  compilation_.tensor_bytes = plan.peak;
}

}  // namespace

void plan_pass(Compilation& compilation) { TensorPlanner(compilation).run(); }

}  // namespace accord
