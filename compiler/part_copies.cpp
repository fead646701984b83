#include "compiler/part_copies.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "compiler/layer_search.h"

namespace accord {
namespace {

TensorId add_copy(Compilation& compilation, TensorId part, const Home& home, const char* suffix = "/part") {
  Network& network = compilation.network;
  Tensor copied = network.tensor(part);
  copied.name += suffix;
  copied.data = nullptr;
  const TensorId result = network.add(std::move(copied));
  compilation.homes.push_back(home);
  network.operators.push_back({network.tensor(result).name, "Identity", {part}, {result}, {}});
  return result;
}

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
    return add_copy(compilation_, part, compilation_.homes[static_cast<std::size_t>(part)]);
  }

  Compilation& compilation_;
  Network& network_;
  std::set<TensorId> lie_elsewhere_;  ///< or in a Concat before
};

}  // namespace

void copy_parts(Compilation& compilation) { PartCopier(compilation).run(); }

namespace {

/// The layer of a Concat that reads another tensor now.
void read_again(Compilation& compilation, LayerPlan& concat) {
  concat = layer_of(compilation, std::move(concat.group));
  concat.placement = Placement::memory;
}

}  // namespace

void read_instead(Compilation& compilation, LayerPlan& layer, TensorId read, TensorId instead) {
  for (const int op : layer.group.operators)
    std::ranges::replace(compilation.network.operators[static_cast<std::size_t>(op)].inputs, read, instead);
  const auto replace = [&](Work& work) {
    for (WorkOperand& operand : work.operands) {
      if (operand.tensor == read) operand.tensor = instead;
    }
  };
  replace(layer.work);
  if (layer.with_ones) replace(*layer.with_ones);
}

TensorId copy_for_reader(Compilation& compilation, std::size_t layer, TensorId read, const Home& home) {
  Network& network = compilation.network;
  const std::size_t tensors = network.tensors.size();
  const TensorId copied = add_copy(compilation, read, home, "/copy");
  LayerPlan copy = layer_of(compilation, {{static_cast<int>(std::ssize(network.operators)) - 1}});
  copy.outputs = {copied};
  copy.of_model = false;
  search_late(compilation, copy);
  if (copy.mappings.empty()) {
    network.operators.pop_back();
    compilation.forget(tensors);
    return no_tensor;
  }
  read_instead(compilation, compilation.layers[layer], read, copied);
  compilation.layers.insert(compilation.layers.begin() + static_cast<std::ptrdiff_t>(layer), std::move(copy));
  return copied;
}

bool copy_part(Compilation& compilation, std::size_t layer, TensorId part, const Home& home) {
  Network& network = compilation.network;
  auto& layers = compilation.layers;
  const std::size_t tensors = network.tensors.size();
  const auto concat = static_cast<std::size_t>(layers[layer].group.operators.front());
  const TensorId copied = add_copy(compilation, part, home);
  std::ranges::replace(network.operators[concat].inputs, part, copied);
  LayerPlan copy = layer_of(compilation, {{static_cast<int>(std::ssize(network.operators)) - 1}});
  assign(compilation, copy);
  if (copy.placement != Placement::machine) {
    std::ranges::replace(network.operators[concat].inputs, copied, part);
    network.operators.pop_back();
    compilation.forget(tensors);
    return false;
  }
  copy.mappings.clear();
  copy.placement = Placement::memory;  // until sharing finds that it has to move
  copy.of_model = false;
  read_again(compilation, layers[layer]);
  layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(layer), std::move(copy));
  return true;
}

void undo_copy(Compilation& compilation, std::size_t layer) {
  Network& network = compilation.network;
  auto& layers = compilation.layers;
  const Operator copy = network.operators.back();
  const auto concat = static_cast<std::size_t>(layers[layer + 1].group.operators.front());
  std::ranges::replace(network.operators[concat].inputs, copy.outputs[0], copy.inputs[0]);
  layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(layer));
  network.operators.pop_back();
  compilation.forget(network.tensors.size() - 1);
  read_again(compilation, layers[layer]);
}

}  // namespace accord
