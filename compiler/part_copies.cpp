#include "compiler/part_copies.h"

#include <iterator>
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
    auto& layers = compilation_.layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const int op = layers[l].group.operators.front();
      if (network_.operators[static_cast<std::size_t>(op)].type == "Concat") l += copy_parts_of(op, l);
    }
  }

 private:
  /// How many layers that copy stand before the Concat's now.
  std::size_t copy_parts_of(int concat, std::size_t place) {
    const std::size_t known = network_.operators.size();
    for (std::size_t i = 0; i < inputs(concat).size(); ++i) {
      const TensorId part = inputs(concat)[i];
      const bool fits = !network_.tensor(part).is_constant() && lie_elsewhere_.insert(part).second;
      if (!fits) inputs(concat)[i] = copy(part);
    }
    std::vector<LayerPlan> copies;
    for (std::size_t op = known; op < network_.operators.size(); ++op) {
      copies.push_back(layer_of(compilation_, {{static_cast<int>(op)}}));
      copies.back().of_model = false;
    }
    auto& layers = compilation_.layers;
    if (!copies.empty()) layers[place] = layer_of(compilation_, std::move(layers[place].group));
    layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(place), std::make_move_iterator(copies.begin()),
                  std::make_move_iterator(copies.end()));
    return copies.size();
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
