#include "compiler/part_copies.h"

#include <algorithm>
#include <set>
#include <utility>

namespace accord {
namespace {

class PartCopier {
 public:
  explicit PartCopier(Compilation& compilation) : compilation_(compilation), network_(compilation.network) {
    lie_elsewhere_.insert(network_.inputs.begin(), network_.inputs.end());
    lie_elsewhere_.insert(network_.outputs.begin(), network_.outputs.end());
  }

  void run() {
    std::vector<LayerPlan> layers;
    for (LayerPlan& layer : std::exchange(compilation_.layers, {})) {
      const int op = layer.group.operators.front();
      if (network_.operators[static_cast<std::size_t>(op)].type == "Concat") copy_parts_of(op, layer, layers);
      layers.push_back(std::move(layer));
    }
    compilation_.layers = std::move(layers);
  }

 private:
  void copy_parts_of(int concat, LayerPlan& layer, std::vector<LayerPlan>& layers) {
    const std::size_t known = network_.operators.size();
    for (std::size_t i = 0; i < inputs(concat).size(); ++i) {
      const TensorId part = inputs(concat)[i];
      const bool fits = !network_.tensor(part).is_constant() && lie_elsewhere_.insert(part).second;
      if (!fits) inputs(concat)[i] = copy(part);
    }
    for (std::size_t op = known; op < network_.operators.size(); ++op) {
      layers.push_back(layer_of(compilation_, {{static_cast<int>(op)}}));
      layers.back().of_model = false;
    }
    if (network_.operators.size() != known) layer = layer_of(compilation_, std::move(layer.group));
  }

  std::vector<TensorId>& inputs(int op) { return network_.operators[static_cast<std::size_t>(op)].inputs; }

  TensorId copy(TensorId part) {
    Tensor copied = network_.tensor(part);
    copied.name += "/part";
    copied.data = nullptr;
    const TensorId result = network_.add(std::move(copied));
    compilation_.homes.push_back(compilation_.homes[static_cast<std::size_t>(part)]);
    network_.operators.push_back({network_.tensor(result).name, "Identity", {part}, {result}, {}});
    return result;
  }

  Compilation& compilation_;
  Network& network_;
  std::set<TensorId> lie_elsewhere_;  ///< or in a Concat before
};

}  // namespace

void copy_parts(Compilation& compilation) { PartCopier(compilation).run(); }

}  // namespace accord
