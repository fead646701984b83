#include <fmt/format.h>

#include <algorithm>

#include "compiler/codelets/codelet.h"
#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/network/interleave.h"

namespace accord {
namespace {

/// Weighs convolutions of the network's inputs against their interleaved forms; the user's tensors lie as suits the
/// first layer.
class Interleaver {
 public:
  explicit Interleaver(Compilation& compilation) : compilation_(compilation), shared_(compilation.machine) {}

  void weigh(LayerPlan& layer) {
    Operator& op = compilation_.network.operators[static_cast<std::size_t>(layer.group.operators[0])];
    if (layer.placement != Placement::machine || !reads_input_alone(op)) return;
    auto form = interleave_rows(compilation_.network, op);
    if (!form) return;
    const Operator before = op;
    const std::size_t tensors = compilation_.network.tensors.size();
    replace(op, std::move(*form));
    LayerPlan interleaved = plan(layer);
    if (!quicker(interleaved, layer)) {
      op = before;
      forget(tensors);
      return;
    }
    Home& home = compilation_.homes[static_cast<std::size_t>(before.inputs[0])];
    home.alias = op.inputs[0];
    home.interleaved = attribute(before, "strides", Shape{1, 1})[0];
    layer = std::move(interleaved);
  }

 private:
  bool reads_input_alone(const Operator& op) const {
    const Network& network = compilation_.network;
    if (op.type != "Conv" || !std::ranges::count(network.inputs, op.inputs[0])) return false;
    std::ptrdiff_t readers = std::ranges::count(network.outputs, op.inputs[0]);
    for (const auto& other : network.operators) readers += std::ranges::count(other.inputs, op.inputs[0]);
    return readers == 1;
  }

  TensorId add(Tensor tensor) {
    const TensorId id = compilation_.network.add(std::move(tensor));
    const Tensor& added = compilation_.network.tensor(id);
    Home home;
    home.order = {0, 2, 3, 1};
    settle(home, added.shape, added.type);
    compilation_.homes.push_back(std::move(home));
    return id;
  }

  void replace(Operator& op, InterleavedConv form) {
    op = std::move(form.conv);
    op.inputs[0] = add(std::move(form.image));
    op.inputs[1] = add(std::move(form.weights));
  }

  void forget(std::size_t tensors) {
    compilation_.network.tensors.resize(tensors);
    compilation_.network.names = {};
    compilation_.homes.resize(tensors);
  }

  /// The layer with its operator as it is now.
  LayerPlan plan(const LayerPlan& layer) const {
    LayerPlan result = layer;
    const Network& network = compilation_.network;
    result.work = instantiate(network, layer.group.operators, CodeletLibrary::shipped());
    result.turned_down.clear();
    result.mappings = candidates(compilation_.machine, network, result.work, compilation_.homes, result.turned_down);
    if (result.mappings.empty()) return result;
    result.macs = macs_of(layer.work);
    const Bound bound = bound_of(compilation_.machine, network, result.work, compilation_.homes, result.mappings);
    if (bound.cycles < result.bound.cycles) result.bound = bound;
    return result;
  }

  bool quicker(const LayerPlan& interleaved, const LayerPlan& layer) {
    if (interleaved.mappings.empty()) return false;
    const LayerSearch known = search_layer(compilation_, shared_, layer);
    if (known.kept.empty()) return true;
    const double best = known.kept.front().mapping.predicted_cycles;
    if (static_cast<double>(compute_bound(compilation_.machine, interleaved.mappings.front())) >= best) return false;
    const LayerSearch other = search_layer(compilation_, shared_, interleaved);
    return !other.kept.empty() && other.kept.front().mapping.predicted_cycles < best;
  }

  Compilation& compilation_;
  SharedMachines shared_;
};

}  // namespace

void interleave_pass(Compilation& compilation) {
  Interleaver interleaver(compilation);
  for (auto& layer : compilation.layers) interleaver.weigh(layer);
}

}  // namespace accord
