#include <algorithm>
#include <limits>
#include <optional>

#include "archdsl/source/error.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codegen/encoder.h"
#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "compiler/lowering/continuation.h"
#include "compiler/lowering/lower_layer.h"
#include "compiler/mapping/interleave.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr std::int64_t most_results = 16;  ///< rows at once

/// Weighs convolutions of what the user or the host hands over against their interleaved forms: such tensors may lie
/// as suits their reader. Layers between that convert element by element go along.
class Interleaver {
 public:
  explicit Interleaver(Compilation& compilation)
      : compilation_(compilation), network_(compilation.network), shared_(compilation.machine) {}

  void run() {
    for (auto& layer : compilation_.layers) {
      const auto feeders = find_feeders(layer);
      if (feeders) weigh(layer, *feeders);
    }
  }

 private:
  const Operator& first_operator(const LayerPlan& layer) const {
    return network_.operators[static_cast<std::size_t>(layer.group.operators[0])];
  }

  /// The layer that writes the tensor; null: the user does.
  LayerPlan* writer(TensorId tensor) {
    for (auto& layer : compilation_.layers) {
      if (std::ranges::count(layer.outputs, tensor) != 0) return &layer;
    }
    return nullptr;
  }

  /// Whether one layer of the machine reads the tensor, and perhaps the host.
  bool has_one_reader(TensorId tensor) const {
    std::ptrdiff_t readers = std::ranges::count(network_.outputs, tensor);
    for (const auto& layer : compilation_.layers) {
      if (layer.placement == Placement::host) continue;
      for (const int op : layer.group.operators) readers += std::ranges::count(network_.operators[op].inputs, tensor);
    }
    return readers == 1;
  }

  /// Layers between the user's or host's tensor and the convolution, nearest first; nothing where rows must lie apart.
  std::optional<std::vector<LayerPlan*>> find_feeders(const LayerPlan& layer) {
    if (layer.placement != Placement::machine || first_operator(layer).type != "Conv") return std::nullopt;
    std::vector<LayerPlan*> feeders;
    for (TensorId tensor = first_operator(layer).inputs[0];; tensor = first_operator(*feeders.back()).inputs[0]) {
      if (network_.tensor(tensor).is_constant() || !has_one_reader(tensor)) return std::nullopt;
      LayerPlan* before = writer(tensor);
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

  void forget(std::size_t tensors) {
    network_.tensors.resize(tensors);
    network_.names = {};
    compilation_.homes.resize(tensors);
  }

  void weigh(LayerPlan& layer, const std::vector<LayerPlan*>& feeders) {
    const LayerPlan plain = layer;
    std::int64_t rows = 1;  // side by side
    TensorId image = no_tensor;
    double best = -1;  // cycles of `layer`; < 0: not searched yet
    for (std::int64_t results = 1; results <= most_results; results *= 2) {
      auto form = interleave_rows(network_, plain.work, results);
      if (!form) continue;
      if (best < 0) best = cycles(layer);
      const std::size_t tensors = network_.tensors.size();
      const std::int64_t form_rows = form->rows;
      const int x = form->x;
      LayerPlan other = plan(plain, std::move(*form));
      if (other.bound.cycles < layer.bound.cycles) layer.bound = other.bound;
      layer.bound.compulsory_bytes = plain.bound.compulsory_bytes;  // the form's filter is larger
      other.bound = layer.bound;
      const bool hopeless = other.mappings.empty() || least(other) >= best;
      const double found = hopeless ? best : encoded_cycles(other);
      if (found >= best) {
        forget(tensors);
        continue;
      }
      best = found;
      rows = form_rows;
      image = other.work.operands[x].tensor;
      layer = std::move(other);
    }
    if (rows > 1) lay_out(first_operator(layer).inputs[0], image, feeders, rows);
  }

  /// The layer with the form's work and tensors.
  LayerPlan plan(const LayerPlan& plain, InterleavedWork form) {
    LayerPlan result = plain;
    result.work = std::move(form.work);
    result.work.operands[form.x].tensor = add(std::move(form.image));
    result.work.operands[form.w].tensor = add(std::move(form.weights));
    result.macs = macs_of(plain.work);
    assign(result);
    if (!result.mappings.empty()) {
      result.bound = bound_of(compilation_.machine, network_, result.work, compilation_.homes, result.mappings);
    }
    return result;
  }

  void assign(LayerPlan& layer) const {
    layer.turned_down.clear();
    layer.mappings = candidates(compilation_.machine, network_, layer.work, compilation_.homes, layer.turned_down);
  }

  double least(const LayerPlan& layer) const {
    return static_cast<double>(compute_bound(compilation_.machine, layer.mappings.front()));
  }

  double cycles(const LayerPlan& layer) {
    const LayerSearch known = search_layer(compilation_, shared_, layer);
    return known.kept.empty() ? std::numeric_limits<double>::infinity() : known.kept.front().mapping.predicted_cycles;
  }

  /// The same of the first mapping that the instruction set can express: there is no way back to the plain form later.
  double encoded_cycles(const LayerPlan& layer) {
    for (const auto& found : search_layer(compilation_, shared_, layer).kept) {
      if (encodes(layer, found.mapping)) return found.mapping.predicted_cycles;
    }
    return std::numeric_limits<double>::infinity();
  }

  /// Homes as they will be, each at address 0.
  Homes placed(const LayerPlan& layer, const Mapping& mapping) const {
    Homes homes = compilation_.homes;
    for (const auto& use : mapping.uses) {
      if (use.filled || use.access.operand < 0) continue;
      const WorkOperand& operand = layer.work.operands[use.access.operand];
      if (operand.tensor == no_tensor || operand.constant) continue;
      Home& home = homes[operand.tensor];
      reach(home, operand.shape, use.access, mapping.extent);
      settle(home, operand.shape, network_.tensor(operand.tensor).type);
      home.address = home.origin;
    }
    return homes;
  }

  bool encodes(const LayerPlan& layer, const Mapping& mapping) {
    const Architecture& architecture = compilation_.architecture;
    const Homes homes = placed(layer, mapping);
    try {
      std::vector<OffChip> nothing;
      const OpList list = lower_layer(shared_, network_, layer.work, homes, mapping, nothing);
      const auto ordered = Continuation(architecture, 0).order(list);
      Encoder(architecture, compilation_.machine.limits)
          .append(list, ordered.order, ordered.late, 0, statement_texts(layer.work.program));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void lies_in(TensorId tensor, TensorId image, std::int64_t rows) {
    compilation_.homes[tensor].alias = image;
    compilation_.homes[tensor].interleaved = rows;
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

  Compilation& compilation_;
  Network& network_;
  SharedMachines shared_;
};

}  // namespace

void interleave_pass(Compilation& compilation) {
  if (compilation.options.searcher->leaves_choice()) Interleaver(compilation).run();
}

}  // namespace accord
