#include <algorithm>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/encoded_cycles.h"
#include "compiler/handed_over.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/result_columns.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr double worth_splitting = 0.98;  ///< of the cycles without: what a form must promise to be looked into

/// Weighs, for convolutions between what the user or the host hands over and what it takes back, results whose columns
/// lie apart: both tensors may lie as suits the layer.
class ColumnSplitter {
 public:
  explicit ColumnSplitter(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {}

  void run() {
    for (LayerPlan& layer : compilation_.layers) {
      const bool as_it_was = layer.placement == Placement::machine && layer.macs < 0;
      if (as_it_was && layer.outputs.size() == 1 && is_taken_back(compilation_, layer.outputs[0])) weigh(layer);
    }
  }

 private:
  void weigh(LayerPlan& layer) {
    const std::vector<std::int64_t> apart = columns_apart(compilation_.architecture, layer.work);
    if (apart.empty()) return;
    const LayerPlan plain = without_mappings(layer);
    double best = search_once(compilation_, shared_, layer).predicted_cycles();
    for (const std::int64_t columns : apart) {
      const auto form = split_columns(network_, plain.work, columns);
      if (!form || !fits(plain, *form)) continue;
      const std::size_t tensors = network_.tensors.size();
      const TensorId x = plain.work.operands[form->x].tensor;
      const Home before = compilation_.homes[x];
      LayerPlan other = plan(plain, *form);
      const double found = promises(other, best) ? encoded_cycles(compilation_, shared_, other) : best;
      if (found >= best) {
        compilation_.forget(tensors);
        compilation_.homes[x] = before;
        continue;
      }
      best = found;
      compilation_.homes[layer.outputs[0]].alias = other.work.operands[form->y].tensor;
      compilation_.homes[layer.outputs[0]].side_by_side = {3, columns, columns, 1};
      if (layer.bound.cycles < other.bound.cycles) other.bound = layer.bound;
      layer = std::move(other);
    }
  }

  bool fits(const LayerPlan& plain, const ColumnWork& form) {
    const bool whole = plain.work.operands[form.y].tensor == plain.outputs[0];
    return whole && is_handed_over(compilation_, plain.work.operands[form.x].tensor);
  }

  /// Whether the layer's instructions that compute leave it quicker than the best so far.
  bool promises(const LayerPlan& layer, double best) const {
    if (layer.mappings.empty()) return false;
    const auto least = static_cast<double>(compute_bound(compilation_.machine, layer.mappings.front(), all_units));
    return least < worth_splitting * best;
  }

  void lie_in_rows(TensorId tensor) {
    Home& home = compilation_.homes[tensor];
    home.order = {0, 1, 2, 3};
    settle(home, network_.tensor(tensor).shape, network_.tensor(tensor).type);
  }

  /// The layer with the form's work and its own result.
  LayerPlan plan(const LayerPlan& plain, const ColumnWork& form) {
    LayerPlan result = plain;
    result.work = form.work;
    const TensorId y = network_.add(form.result);
    compilation_.homes.emplace_back();
    lie_in_rows(y);
    lie_in_rows(form.work.operands[form.x].tensor);
    result.work.operands[form.y].tensor = y;
    result.macs = macs_of(plain.work);
    result.turned_down.clear();
    assign(compilation_, result);
    if (!result.mappings.empty()) widen(form.work.operands[form.x].tensor, result);
    return result;
  }

  /// Rows as far apart as the most promising assignment needs them: whether a tile's rows adjoin hangs on it.
  void widen(TensorId image, const LayerPlan& layer) {
    const Mapping& mapping = layer.mappings.front();
    Home& home = compilation_.homes[image];
    for (const Use& use : mapping.uses) {
      const bool reads = !use.filled && use.access.operand >= 0;
      if (!reads || layer.work.operands[use.access.operand].tensor != image) continue;
      reach(home, network_.tensor(image).shape, use.access, mapping.extent);
    }
    settle(home, network_.tensor(image).shape, network_.tensor(image).type);
  }

  Compilation& compilation_;
  Network& network_;
  SharedMachines shared_;
};

}  // namespace

void columns_pass(Compilation& compilation) {
  if (compilation.options.searcher->leaves_choice()) ColumnSplitter(compilation).run();
}

}  // namespace accord
