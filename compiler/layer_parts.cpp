#include "compiler/layer_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "compiler/bias_apart.h"
#include "compiler/mapping/element_forms.h"
#include "compiler/mapping/late_start.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

/// The layer with its work in another form, where that promises fewer cycles.
void place_as(const Compilation& compilation, LayerPlan& layer, const Work& work) {
  LayerPlan other = without_mappings(layer);
  other.work = work;
  other.placement = Placement::machine;
  other.reason.clear();
  other.turned_down.clear();
  assign(compilation, other);
  const bool better = layer.placement == Placement::host || other.bound.cycles < layer.bound.cycles;
  if (other.placement == Placement::machine && better) layer = std::move(other);
}

constexpr double worth_parting = 0.8;  // of the cycles in one go: what parts must promise

/// What layers leave to the host, and how long the machine takes for the others.
struct Promise {
  double left = std::numeric_limits<double>::infinity();  ///< operators; one that adds a bias apart is half of one
  double cycles = 0;

  /// Whether less is left, or as much and the rest takes no more than this part of the other's cycles.
  bool beats(const Promise& other, double part = 1) const {
    return left != other.left ? left < other.left : cycles <= part * other.cycles;
  }
};

class Parter {
 public:
  Parter(Compilation& compilation, SharedMachines& shared) : compilation_(compilation), shared_(shared) {}

  std::vector<LayerPlan> run(LayerPlan& layer) {
    const bool whole = layer.placement == Placement::machine;
    if (whole && !leaves_capability_out(layer)) return {};
    const Promise in_one = promise(layer);
    std::string reason;
    std::vector<LayerPlan> best = parts(layer.group.operators, layer.reason, reason);
    if (!promise(best).beats(in_one, worth_parting)) best.clear();
    if (best.empty() || leaves_capability_out(best.front()))
      move_bias(layer, best.empty() ? in_one : promise(best), best);
    if (best.empty() && !whole) layer.reason += reason;
    return best;
  }

 private:
  LayerPlan placed(std::vector<int> operators) const {
    LayerPlan layer = layer_of(compilation_, {std::move(operators)});
    place(compilation_, layer);
    return layer;
  }

  /// The layer as layers that hand it on: the first has as many operators as the machine does in one go, or fewer where
  /// a capability that is left out then makes it quicker; what of the others it cannot do is the host's. None where the
  /// machine does not do the first operator either; `reason` then receives why, if that is not `known`.
  std::vector<LayerPlan> parts(const std::vector<int>& operators, const std::string& known, std::string& reason) {
    std::vector<LayerPlan> best;
    for (auto end = operators.end() - 1; end != operators.begin(); --end) {
      LayerPlan first = placed({operators.begin(), end});
      if (first.placement == Placement::machine) {
        std::vector<LayerPlan> found;
        found.push_back(std::move(first));
        append_rest({end, operators.end()}, found);
        const bool leaves_out = leaves_capability_out(found.front());
        if (best.empty() || !promise(best).beats(promise(found))) best = std::move(found);
        if (!leaves_out) break;
      } else if (end - operators.begin() == 1 && first.reason != known) {
        reason = fmt::format("; {} alone: {}", compilation_.network.operators[operators[0]].type, first.reason);
      }
    }
    return best;
  }

  /// In one go, or as few as can be.
  void append_rest(const std::vector<int>& operators, std::vector<LayerPlan>& layers) {
    LayerPlan rest = placed(operators);
    if (rest.placement == Placement::machine || operators.size() == 1) {
      layers.push_back(std::move(rest));
      return;
    }
    std::string reason;
    std::vector<LayerPlan> apart = parts(operators, rest.reason, reason);
    if (apart.empty()) {
      apart.push_back(placed({operators.front()}));
      append_rest({operators.begin() + 1, operators.end()}, apart);
    }
    std::ranges::move(apart, std::back_inserter(layers));
  }

  /// Takes the layer's parts with its bias as an operator of its own, where these promise more by far.
  void move_bias(const LayerPlan& layer, const Promise& without, std::vector<LayerPlan>& best) {
    auto bias = BiasApart::of(compilation_, layer);
    if (!bias) return;
    std::string reason;
    std::vector<LayerPlan> apart = parts(bias->operators(), layer.reason, reason);
    if (promise(apart).beats(without, worth_parting)) {
      best = std::move(apart);
    } else {
      bias->undo(compilation_);
    }
  }

  /// Whether a capability does the layer's main statement, and is in none of its assignments: what follows cannot have
  /// the result from there, or nothing brings there what it begins with.
  bool leaves_capability_out(const LayerPlan& layer) const {
    const Machine& machine = compilation_.machine;
    std::set<std::pair<int, int>> used;
    for (const Mapping& mapping : layer.mappings) {
      const auto [unit, capability] = main_capability(mapping);
      used.insert(machine.elements.alike(unit, capability).front());
      for (const int opening : machine.elements.openings(unit, capability))
        used.insert(machine.elements.alike(unit, opening).front());
    }
    const int main = layer.mappings.front().steps.front().statement;
    return std::ranges::any_of(match_statement(machine.architecture, layer.work, main), [&](const Match& match) {
      return machine.limits.run(match.unit, match.capability) != nullptr &&
             used.count(machine.elements.alike(match.unit, match.capability).front()) == 0;
    });
  }

  Promise promise(const LayerPlan& layer) {
    if (layer.placement == Placement::machine) {
      const LayerSearch& search = search_once(compilation_, shared_, layer);
      if (!search.kept.empty()) return {0, search.predicted_cycles()};
    }
    Promise host = {0};
    for (const int op : layer.group.operators)
      host.left += compilation_.network.operators[op].type == "AddBias" ? 0.5 : 1;
    return host;
  }

  /// None where there are none.
  Promise promise(const std::vector<LayerPlan>& layers) {
    if (layers.empty()) return {};
    Promise all = {0};
    for (const LayerPlan& layer : layers) {
      const Promise one = promise(layer);
      all.left += one.left;
      all.cycles += one.cycles;
    }
    return all;
  }

  Compilation& compilation_;
  SharedMachines& shared_;
};

}  // namespace

/// Beside the work as it stands, with a count of one where capabilities count several at least: rows of a matrix unit
/// that takes 16 at a time, where the layer has one. Where neither has an assignment, with a bias added at the end.
void place(const Compilation& compilation, LayerPlan& layer) {
  const Work as_it_stands = layer.work;
  assign(compilation, layer);
  if (layer.with_ones) place_as(compilation, layer, *layer.with_ones);
  const bool on_host = layer.placement == Placement::host;
  std::vector<Work> forms;
  const auto add_forms = [&](const Work& work) {
    if (on_host) std::ranges::move(with_late_start(work), std::back_inserter(forms));
    if (on_host || work.program.statements.size() > 1)
      std::ranges::move(element_forms(work), std::back_inserter(forms));
  };
  add_forms(as_it_stands);
  if (layer.with_ones) add_forms(*layer.with_ones);
  for (const Work& form : forms) place_as(compilation, layer, form);
}

std::vector<LayerPlan> parts_of_layer(Compilation& compilation, SharedMachines& shared, LayerPlan& layer) {
  return Parter(compilation, shared).run(layer);
}

}  // namespace accord
