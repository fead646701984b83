#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/codelets/codelet.h"
#include "compiler/compilation.h"
#include "compiler/encoded_cycles.h"
#include "compiler/handed_over.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/interleave.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr std::int64_t most_results = 16;  ///< rows at once
constexpr double worth_looking = 0.98;     ///< of the cycles without: what a form must promise to be looked into
constexpr double padded = 1.5;             ///< times the bound: lanes that the quickest form leaves empty

/// Weighs convolutions of what the user or the host hands over against their interleaved forms: such tensors may lie
/// as suits their reader. Layers between that convert element by element go along.
class Interleaver {
 public:
  explicit Interleaver(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {}

  void run() {
    search_ahead(compilation_);  // few are changed here or for another layout
    for (std::size_t l = 0; l < compilation_.layers.size(); ++l) {
      const auto feeders = find_feeders(compilation_.layers[l]);
      if (feeders && weigh(l, *feeders)) ++l;
    }
  }

 private:
  const Operator& first_operator(const LayerPlan& layer) const {
    return network_.operators[static_cast<std::size_t>(layer.group.operators[0])];
  }

  /// Layers between the user's or host's tensor and the convolution, nearest first; nothing where rows must lie apart.
  std::optional<std::vector<LayerPlan*>> find_feeders(const LayerPlan& layer) {
    if (layer.placement != Placement::machine || first_operator(layer).type != "Conv") return std::nullopt;
    std::vector<LayerPlan*> feeders;
    for (TensorId tensor = first_operator(layer).inputs[0];; tensor = first_operator(*feeders.back()).inputs[0]) {
      if (network_.tensor(tensor).is_constant() || readers_of(compilation_, tensor) != 1) return std::nullopt;
      LayerPlan* before = writer_of(compilation_, tensor);
      if (before == nullptr || before->placement == Placement::host) return feeders;
      if (before->placement != Placement::machine || !is_plain(before->work)) return std::nullopt;
      feeders.push_back(before);
    }
  }

  TensorId add(Tensor tensor) {
    const TensorId id = network_.add(std::move(tensor));
    const Tensor& added = network_.tensor(id);
    Home home;
    home.order = {0, 2, 3, 1};
    settle(home, added.shape, added.type);
    compilation_.homes.push_back(std::move(home));
    return id;
  }

  /// A form of a layer's work, and what it promises.
  struct Form {
    InterleavedWork work;
    double least = 0;  ///< cycles of its instructions that compute
  };

  /// The forms that may compute in less than `most` cycles, those of the fewest first; those for more rows of results
  /// only while they promise more. What they may reach at best goes into the layer's bound.
  std::vector<Form> forms_of(LayerPlan& layer, bool of_host, double most) {
    const LayerPlan plain = without_mappings(layer);
    std::vector<Form> forms;
    // With the zeros of its filter: thousands of assignments need not be listed to see that none is quicker.
    const double most_points = most * most_summed(compilation_.machine);
    const auto add = [&](std::optional<InterleavedWork> form) {
      if (form && static_cast<double>(macs_of(form->work)) < most_points) forms.push_back({std::move(*form)});
    };
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t results = 1; results <= most_results; results *= 2) {
      const std::size_t known = forms.size();
      add(interleave_rows(network_, plain.work, results));
      for (const auto rows : of_host ? gatherable_rows(plain.work, results) : std::vector<std::int64_t>()) {
        auto form = gather_rows(network_, plain.work, rows, results);
        if (form && fits(form->image)) add(std::move(form));
      }
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t f = known; f < forms.size(); ++f) least = std::min(least, promise(plain, forms[f], layer.bound));
      if (results > 1 && least >= best) break;
      best = std::min(best, least);
    }
    std::ranges::stable_sort(forms, {}, &Form::least);
    return forms;
  }

  double promise(const LayerPlan& plain, Form& form, Bound& bound) {
    const std::size_t tensors = network_.tensors.size();
    const LayerPlan other = plan(plain, form.work);
    compilation_.forget(tensors);
    form.least = std::numeric_limits<double>::infinity();
    if (other.mappings.empty()) return form.least;
    if (other.bound.cycles < bound.cycles) {
      bound = other.bound;
      bound.compulsory_bytes = plain.bound.compulsory_bytes;  // the form's image and filter are larger
    }
    form.least = static_cast<double>(compute_bound(compilation_.machine, other.mappings.front(), all_units));
    return form.least;
  }

  /// What is there several times must not be what a model does not fit in memory for.
  bool fits(const Tensor& image) const {
    const auto& memories = compilation_.architecture.memories;
    const auto memory = std::ranges::find_if(memories, &Memory::off_chip);
    return memory != memories.end() && element_count(image.shape) * bytes(image.type) <= memory->capacity / 16;
  }

  /// `layers[index]` in its quickest form. Whether another layer stands before it now.
  bool weigh(std::size_t index, const std::vector<LayerPlan*>& feeders) {
    LayerPlan& layer = compilation_.layers[index];
    double best = cycles(layer);
    const std::vector<Form> forms = forms_of(layer, feeders.empty(), worth_looking * best);
    if (forms.empty()) return false;
    const LayerPlan plain = without_mappings(layer);
    const InterleavedWork* chosen = nullptr;
    const std::size_t own_tensors = network_.tensors.size();
    for (const Form& form : forms) {
      if (form.least >= worth_looking * best) break;
      const std::size_t tensors = network_.tensors.size();
      LayerPlan other = plan(plain, form.work);
      other.bound = plain.bound;
      const double found = encoded_cycles(compilation_, shared_, other);
      if (found >= best) {
        compilation_.forget(tensors);
        continue;
      }
      best = found;
      layer = std::move(other);
      chosen = &form.work;
    }
    if (!chosen) return false;
    if (best > padded * static_cast<double>(layer.bound.cycles) && cycles_in_rows(plain) < best) {
      layer = plain;
      compilation_.forget(own_tensors);
      assign(layer);
      return false;
    }
    const TensorId image = layer.work.operands[chosen->x].tensor;
    if (chosen->step > 0) {
      gather(index, image, *chosen);
      return true;
    }
    lay_out(first_operator(layer).inputs[0], image, feeders, chosen->rows);
    return false;
  }

  /// Cycles with the positions of its images side by side, in which order `layout` may put them.
  double cycles_in_rows(const LayerPlan& plain) {
    const Homes before = compilation_.homes;
    for (const WorkOperand& operand : plain.work.operands) {
      if (operand.tensor == no_tensor || network_.tensor(operand.tensor).is_constant()) continue;
      Home& home = compilation_.homes[operand.tensor];
      std::ranges::sort(home.order);
      settle(home, network_.tensor(operand.tensor).shape, network_.tensor(operand.tensor).type);
    }
    LayerPlan other = plain;
    assign(other);
    const double found =
        other.mappings.empty() ? std::numeric_limits<double>::infinity() : encoded_cycles(compilation_, shared_, other);
    compilation_.homes = before;
    return found;
  }

  /// The layer with the form's work and tensors.
  LayerPlan plan(const LayerPlan& plain, const InterleavedWork& form) {
    LayerPlan result = plain;
    result.work = form.work;
    result.work.operands[form.x].tensor = add(form.image);
    result.work.operands[form.w].tensor = add(form.weights);
    result.macs = macs_of(plain.work);
    assign(result);
    if (!result.mappings.empty()) {
      result.bound = bound_of(compilation_.machine, network_, result.work, compilation_.homes, result.mappings);
      keep_promising(compilation_, result);
    }
    return result;
  }

  void assign(LayerPlan& layer) const {
    layer.turned_down.clear();
    layer.mappings = candidates(compilation_.machine, network_, layer.work, compilation_.homes, layer.turned_down);
  }

  double cycles(const LayerPlan& layer) { return search_once(compilation_, shared_, layer).predicted_cycles(); }

  void lies_in(TensorId tensor, TensorId image, std::int64_t rows) {
    compilation_.homes[tensor].alias = image;
    compilation_.homes[tensor].side_by_side = {2, rows, 1, network_.tensor(tensor).shape[1]};
  }

  /// The convolution's input, and those of the layers before, with their rows side by side.
  void lay_out(TensorId tensor, TensorId image, const std::vector<LayerPlan*>& feeders, std::int64_t rows) {
    lies_in(tensor, image, rows);
    for (LayerPlan* feeder : feeders) {
      const TensorId before = first_operator(*feeder).inputs[0];
      const TensorId image_before = add(interleaved(network_.tensor(before), rows));
      feeder->work = interleave_plain(feeder->work, rows);
      for (auto& operand : feeder->work.operands) {
        if (operand.tensor == tensor)
          operand.tensor = image;
        else if (operand.tensor == before)
          operand.tensor = image_before;
      }
      assign(*feeder);
      lies_in(before, image_before, rows);
      tensor = before;
      image = image_before;
    }
  }

  /// The host writes the image before `layers[index]` reads it.
  void gather(std::size_t index, TensorId image, const InterleavedWork& form) {
    LayerPlan& reader = compilation_.layers[index];
    Operator& conv = network_.operators[static_cast<std::size_t>(reader.group.operators[0])];
    const std::string name = network_.tensor(image).name;
    Operator rows{name, "GatherRows", {conv.inputs[0]}, {image}, {}};
    rows.attributes = {{"rows", form.rows}, {"step", form.step}, {"top", form.top}};
    if (const auto zero = conv.attributes.find("outside"); zero != conv.attributes.end()) rows.attributes.insert(*zero);
    conv.inputs[0] = image;
    // The reference knows an operator of the compiler's own by what it reads, which is no convolution's now.
    if (reader.group.operators[0] >= compilation_.model_operators) reader.of_model = false;
    LayerPlan writer;
    writer.reason = fmt::format("{} rows beside each other for the windows of {}", form.rows, conv.name);
    network_.operators.push_back(std::move(rows));
    writer.group.operators = {static_cast<int>(network_.operators.size()) - 1};
    writer.work = instantiate(network_, writer.group.operators, CodeletLibrary::shipped());
    writer.outputs = {image};
    writer.placement = Placement::host;
    writer.of_model = false;
    compilation_.layers.insert(compilation_.layers.begin() + static_cast<std::ptrdiff_t>(index), std::move(writer));
  }

  Compilation& compilation_;
  Network& network_;
  SharedMachines shared_;
};

}  // namespace

void interleave_pass(Compilation& compilation) {
  if (compilation.options.searcher->leaves_choice()) Interleaver(compilation).run();
}

}  // namespace accord
