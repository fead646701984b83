#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/mapping_schedule.h"
#include "compiler/measured_program.h"

namespace accord {
namespace {

/// Tries what holds for all layers, one thing after another. Each helps some programs and is in others' way, by what
/// layers that follow each other share, which no layer alone shows.
class Settler {
 public:
  explicit Settler(Compilation& compilation) : compilation_(compilation), cycles_(measured_program(compilation)) {}

  /// By turns a layer's loads may come while the layer before works, but pass before what that one waits for.
  void settle_ends() {
    compilation_.takes_turns = false;
    if (!keeps("tiles of all layers from the low end of memories")) compilation_.takes_turns = true;
  }

  /// Stores of parts begin sooner; each takes the mover's own time.
  void settle_stores() {
    std::vector<LayerPlan> layers = compilation_.layers;
    SharedMachines shared(compilation_.machine);
    bool changes = false;
    for (LayerPlan& layer : compilation_.layers) {
      if (layer.placement != Placement::machine || layer.mappings.empty()) continue;
      changes = store_whole(shared, layer) || changes;
    }
    if (!changes || !keeps("results of all layers stored in one go")) compilation_.layers = std::move(layers);
  }

 private:
  /// Whether that makes another program of the layer; else it stays as it is.
  bool store_whole(SharedMachines& shared, LayerPlan& layer) const {
    Mapping& mapping = layer.mappings.front();
    if (mapping.rolls || mapping.stores_whole) return false;
    Mapping other = mapping;
    other.stores_whole = true;
    const auto in_parts = MappingSchedule(compilation_, shared, layer, mapping).run();
    const auto whole = MappingSchedule(compilation_, shared, layer, other).run();
    if (std::isinf(whole.cycles) || whole.operations >= in_parts.operations) return false;
    if (other.scheduled) other.predicted_cycles = std::max(whole.cycles, static_cast<double>(layer.bound.cycles));
    other.measured_cycles = 0;
    mapping = std::move(other);
    return true;
  }

  /// Whether the program is quicker than before.
  bool keeps(const char* what) {
    if (!cycles_) return false;
    const std::optional<double> so = measured_program(compilation_);
    if (!so || *so >= *cycles_) return false;
    compilation_.layouts.push_back(
        fmt::format("{}: measured, all takes {:.0f} cycles so and {:.0f} else", what, *so, *cycles_));
    cycles_ = so;
    return true;
  }

  Compilation& compilation_;
  std::optional<double> cycles_;  ///< of the program as it stands; nothing: it cannot be measured
};

}  // namespace

void settle_pass(Compilation& compilation) {
  if (std::ranges::count(compilation.layers, Placement::machine, &LayerPlan::placement) < 2) return;
  if (!may_measure_program(compilation)) return;
  Settler settler(compilation);
  settler.settle_ends();
  settler.settle_stores();
}

}  // namespace accord
