#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "archdsl/tensor/rounding.h"
#include "compiler/compilation.h"
#include "compiler/encoded_cycles.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/beyond.h"
#include "compiler/mapping/divided_sum.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr double occupied = 0.8;        ///< of the elements: layers whose results give out more work are left alone
constexpr double worth_dividing = 0.9;  ///< of the cycles as it stands: what a division must promise
constexpr std::size_t looked_into = 3;  ///< divisions of a layer, those of the least bounds

/// The first assignment of the layer's work as it stands; null: there is none.
const Mapping* plain_assignment(const LayerPlan& layer) {
  const auto plain = std::ranges::find_if(layer.mappings, [](const Mapping& mapping) { return !mapping.form; });
  return plain == layer.mappings.end() ? nullptr : &*plain;
}

/// Weighs for layers whose results are too few for all elements that are alike whether to divide their sums instead:
/// a layer that sums each part apart, and one that adds the parts' sums and goes on as the layer does.
class SumWeigher {
 public:
  explicit SumWeigher(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {}

  void run() {
    search_ahead(compilation_);  // few are divided
    auto& layers = compilation_.layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      compilation_.progress("sums", l, layers.size());
      if (leaves_elements_idle(layers[l]) && weigh(l)) ++l;
    }
  }

 private:
  struct Division {
    int iterator = -1;
    std::int64_t parts = 1;
    double least = 0;  ///< cycles of both layers' instructions
  };

  /// What a division replaced.
  struct Undivided {
    LayerPlan layer;
    std::size_t index = 0;
    int number = -1;  ///< of the operator that sums
    Operator sum;
  };

  std::int64_t elements(const Mapping& mapping) const {
    const auto [unit, capability] = main_capability(mapping);
    return static_cast<std::int64_t>(compilation_.machine.elements.alike(unit, capability).size());
  }

  bool leaves_elements_idle(const LayerPlan& layer) const {
    if (layer.placement != Placement::machine) return false;
    const Mapping* mapping = plain_assignment(layer);
    if (mapping == nullptr || elements(*mapping) < 2) return false;
    if (summed_iterators(layer.work, mapping->steps[0].statement).empty()) return false;
    Mapping results = *mapping;
    for (std::size_t it = 0; it < results.extent.size(); ++it) {
      if (is_reduction(layer.work, results, static_cast<int>(it))) results.extent[it] = 1;
    }
    const std::int64_t pieces = main_instructions(compilation_.machine, results);
    const auto turns = static_cast<double>(round_up(pieces, elements(*mapping)));
    return static_cast<double>(pieces) < occupied * turns;
  }

  /// For each sum as many parts as there are elements, or numbers next to that which divide it.
  std::vector<Division> divisions(const LayerPlan& layer) const {
    const Mapping& mapping = *plain_assignment(layer);
    const int statement = mapping.steps[0].statement;
    const std::int64_t wanted = elements(mapping);
    std::vector<Division> found;
    for (const int it : summed_iterators(layer.work, statement)) {
      const std::int64_t extent = layer.work.program.iterators[it].extent;
      std::int64_t fewer = std::min(wanted, extent), more = wanted + 1;
      if (extent > wanted && may_reach_beyond(layer.work, statement, it)) {
        found.push_back({it, wanted});
        continue;
      }
      while (extent % fewer != 0) --fewer;
      while (extent % more != 0 && more < 2 * wanted) ++more;
      if (fewer > 1) found.push_back({it, fewer});
      if (fewer < wanted && extent % more == 0) found.push_back({it, more});
    }
    return found;
  }

  /// Whether the last part may be longer than what is left of the sum: what it reads beyond is 0, and there may be a
  /// margin of that around tensors that nothing else reads or shows.
  bool may_reach_beyond(const Work& work, int statement, int it) const {
    if (!adds_nothing_beyond(work, statement, it)) return false;
    return std::ranges::all_of(work.program.statements[statement].accesses, [&](const Access& access) {
      const WorkOperand& operand = work.operands[access.operand];
      return operand.constant || !depends(access, it) || has_one_reader(operand.tensor);
    });
  }

  bool has_one_reader(TensorId tensor) const {
    const auto touches = [&](const Operator& op) { return std::ranges::count(op.inputs, tensor) != 0; };
    const auto shows = [&](const LayerPlan& layer) {
      return layer.placement == Placement::memory && std::ranges::count(layer.outputs, tensor) != 0;
    };
    return std::ranges::count_if(network_.operators, touches) == 1 &&
           std::ranges::none_of(compilation_.layers, shows) && std::ranges::count(network_.outputs, tensor) == 0;
  }

  TensorId add_sums(const DividedSum& divided, const Operator& op, TensorId target) {
    Tensor sums = divided.sums;
    sums.name = network_.tensor(op.outputs[0]).name + "/parts";
    Home home;
    home.order = {0};
    const std::size_t rank = sums.shape.size() - 1;
    for (std::size_t i = 0; i < rank; ++i)
      home.order.push_back(1 + (target == no_tensor ? i : compilation_.homes[target].order[i]));
    settle(home, sums.shape, sums.type);
    compilation_.homes.push_back(std::move(home));
    return network_.add(std::move(sums));
  }

  /// The layer in two, at its place and behind.
  Undivided divide(std::size_t index, const Division& division) {
    auto& layers = compilation_.layers;
    const LayerPlan whole = without_mappings(layers[index]);
    const int statement = plain_assignment(layers[index])->steps[0].statement;
    const int number = whole.work.operators[whole.work.operator_of[statement]];
    Undivided before{std::move(layers[index]), index, number, network_.operators[number]};
    DividedSum divided = divide_sum(whole.work, statement, division.iterator, division.parts);
    const TensorId target = whole.work.operands[whole.work.program.statements[statement].target.operand].tensor;
    const TensorId sums = add_sums(divided, before.sum, target);
    divided.partial.operands[divided.written].tensor = divided.adding.operands[divided.read].tensor = sums;
    rewrite_operators(before, divided, sums);
    divided.partial.operators = {static_cast<int>(network_.operators.size()) - 1};
    const bool verified = describe_sums(before.sum, whole.work, statement, division.iterator, divided.steps);
    layers[index] = partial_layer(whole, std::move(divided.partial), sums, verified);
    LayerPlan adding = whole;
    adding.with_ones.reset();
    adding.work = std::move(divided.adding);
    adding.macs = 0;
    layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(adding));
    for (const std::size_t l : {index, index + 1}) assign(compilation_, layers[l]);
    return before;
  }

  static LayerPlan partial_layer(const LayerPlan& whole, Work work, TensorId sums, bool verified) {
    LayerPlan layer;
    layer.group.operators = work.operators;
    layer.work = std::move(work);
    layer.outputs = {sums};
    layer.of_model = verified;
    layer.macs = macs_of(whole.work);
    return layer;
  }

  /// One that sums parts, and the old one, which adds them.
  void rewrite_operators(const Undivided& before, const DividedSum& divided, TensorId sums) {
    const auto reads = [](const Work& work, TensorId tensor) {
      return std::ranges::find(work.operands, tensor, &WorkOperand::tensor) != work.operands.end();
    };
    Operator partial{before.sum.name + "/parts", "PartialSums", {}, {sums}, {}};
    Operator& adding = network_.operators[before.number];
    adding.type = "AddSums";
    adding.attributes.clear();
    adding.inputs = {sums};
    for (const TensorId input : before.sum.inputs) {
      if (input == no_tensor) continue;
      if (reads(divided.partial, input)) partial.inputs.push_back(input);
      if (reads(divided.adding, input)) adding.inputs.push_back(input);
    }
    network_.operators.push_back(std::move(partial));
  }

  /// Tells the reference what the parts are of, if it can know: of which input's positions. False if not.
  bool describe_sums(const Operator& sum, const Work& work, int statement, int iterator, std::int64_t steps) {
    const auto cut = cut_of(work, statement, iterator);
    const TensorId target = work.operands[work.program.statements[statement].target.operand].tensor;
    if (!cut || target != sum.outputs[0]) return false;
    Operator& partial = network_.operators.back();
    const auto input = std::ranges::find(partial.inputs, work.operands[cut->operand].tensor);
    if (std::ranges::count(partial.inputs, *input) != 1) return false;
    partial.attributes = sum.attributes;
    partial.attributes["sum_of"] = sum.type;
    partial.attributes["sum_input"] = static_cast<std::int64_t>(input - partial.inputs.begin());
    partial.attributes["sum_index"] = static_cast<std::int64_t>(cut->index);
    partial.attributes["sum_begin"] = cut->begin;
    partial.attributes["sum_steps"] = steps;
    return true;
  }

  void undo(Undivided before) {
    auto& layers = compilation_.layers;
    layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(before.index) + 1);
    layers[before.index] = std::move(before.layer);
    network_.operators.pop_back();
    network_.operators[before.number] = std::move(before.sum);
    network_.tensors.pop_back();
    network_.names = {};
    compilation_.homes.pop_back();
  }

  /// Why the machine cannot do the two layers; empty: it can.
  std::string obstacle(std::size_t index) const {
    const LayerPlan &partial = compilation_.layers[index], &adding = compilation_.layers[index + 1];
    if (adding.placement != Placement::machine) return "nothing adds partial sums: " + adding.reason;
    if (partial.placement != Placement::machine) return "nothing gives partial sums: " + partial.reason;
    return "";
  }

  double least_cycles(std::size_t index) const {
    const auto bound = [&](const LayerPlan& layer) {
      return static_cast<double>(compute_bound(compilation_.machine, layer.mappings.front(), all_units));
    };
    return bound(compilation_.layers[index]) + bound(compilation_.layers[index + 1]);
  }

  /// The divisions that may be quicker, those of the least bounds first; where the machine can do none, the reason.
  std::vector<Division> promising(std::size_t index, double most, std::string& reason) {
    std::vector<Division> found = divisions(compilation_.layers[index]);
    if (found.empty()) reason = "no number of parts near the elements' divides its sums";
    for (auto& division : found) {
      Undivided before = divide(index, division);
      reason = obstacle(index);
      division.least = reason.empty() ? least_cycles(index) : std::numeric_limits<double>::infinity();
      undo(std::move(before));
      if (!reason.empty()) return {};
    }
    std::erase_if(found, [&](const Division& division) { return division.least >= most; });
    std::ranges::stable_sort(found, {}, &Division::least);
    if (found.size() > looked_into) found.resize(looked_into);
    return found;
  }

  /// The quickest of these divisions, of which the least bounds come first, and its cycles.
  std::pair<Division, double> quickest(std::size_t index, const std::vector<Division>& divisions) {
    std::pair<Division, double> best{{}, std::numeric_limits<double>::infinity()};
    for (const Division& division : divisions) {
      if (division.least >= best.second) break;
      Undivided before = divide(index, division);
      const double cycles = encoded_cycles(compilation_, shared_, compilation_.layers[index]) +
                            encoded_cycles(compilation_, shared_, compilation_.layers[index + 1]);
      if (cycles < best.second) best = {division, cycles};
      undo(std::move(before));
    }
    return best;
  }

  /// Whether the layer is now two.
  bool weigh(std::size_t index) {
    const std::string name = name_of(network_, compilation_.layers[index]);
    const double now = search_once(compilation_, shared_, compilation_.layers[index]).predicted_cycles();
    std::string reason;
    const auto [division, cycles] = quickest(index, promising(index, worth_dividing * now, reason));
    const bool chosen = cycles < worth_dividing * now;
    if (division.iterator >= 0) {
      const Work& work = compilation_.layers[index].work;
      reason = fmt::format("{} in {} parts: {:.0f} cycles instead of {:.0f}",
                           work.program.iterators[division.iterator].name, division.parts, cycles, now);
    } else if (reason.empty()) {
      reason = fmt::format("no parts can be much quicker than {:.0f} cycles", now);
    }
    compilation_.sums.push_back(fmt::format("{}: {}: {}", chosen ? "chosen" : "refused", name, reason));
    if (chosen) settle_bounds(index, divide(index, division));
    return chosen;
  }

  /// Whatever the parts do, the two layers do no less than the one.
  void settle_bounds(std::size_t index, const Undivided& before) {
    Bound& partial = compilation_.layers[index].bound;
    const Bound& whole = before.layer.bound;
    partial.cycles = std::min(partial.cycles, whole.cycles);
    partial.compute_cycles = std::min(partial.compute_cycles, partial.cycles);
  }

  Compilation& compilation_;
  Network& network_;
  SharedMachines shared_;
};

}  // namespace

void sums_pass(Compilation& compilation) {
  if (compilation.options.searcher->leaves_choice()) SumWeigher(compilation).run();
}

}  // namespace accord
