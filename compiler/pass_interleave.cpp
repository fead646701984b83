#include <fmt/format.h>

#include <algorithm>

#include "compiler/codelets/codelet.h"
#include "compiler/compilation.h"
#include "compiler/layer_search.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/network/interleave.h"

namespace accord {
namespace {

/// Weighs convolutions of what the user or the host hands over against their interleaved forms: such tensors may lie
/// as suits their reader.
class Interleaver {
 public:
  explicit Interleaver(Compilation& compilation) : compilation_(compilation), shared_(compilation.machine) {}

  void weigh(LayerPlan& layer) {
    Operator& op = compilation_.network.operators[static_cast<std::size_t>(layer.group.operators[0])];
    if (layer.placement != Placement::machine || op.type != "Conv" || !may_lie_split(op.inputs[0])) return;
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
  /// Whether the tensor comes from the user or the host, and no other layer of the machine sees it.
  bool may_lie_split(TensorId tensor) const {
    const Network& network = compilation_.network;
    bool written = std::ranges::count(network.inputs, tensor) != 0;
    std::ptrdiff_t readers = 0;
    for (const auto& layer : compilation_.layers) {
      const bool host = layer.placement == Placement::host;
      for (const int o : layer.group.operators) {
        const Operator& op = network.operators[static_cast<std::size_t>(o)];
        if (!host) readers += std::ranges::count(op.inputs, tensor);
        if (host && std::ranges::count(op.outputs, tensor) != 0) written = true;
      }
    }
    return written && readers == 1;
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
