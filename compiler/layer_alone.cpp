#include "compiler/layer_alone.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "archdsl/source/error.h"

namespace accord {
namespace {

using Tensors = std::set<TensorId>;

const CompileOptions quietly;

Tensors operands(const LayerPlan& layer) {
  Tensors tensors;
  for (const auto& operand : layer.work.operands) {
    if (operand.tensor != no_tensor && !operand.constant) tensors.insert(operand.tensor);
  }
  return tensors;
}

void add_results(const LayerPlan& layer, Tensors& made) {
  for (const auto& statement : layer.work.program.statements)
    made.insert(layer.work.operands[statement.target.operand].tensor);
}

LayerPlan without_mappings(const LayerPlan& layer) {
  LayerPlan bare;
  bare.group = layer.group;
  bare.outputs = layer.outputs;
  bare.work = layer.work;
  bare.placement = layer.placement;
  return bare;
}

}  // namespace

LayerAlone::LayerAlone(const Compilation& compilation, const LayerPlan& layer, Measure measure)
    : known_(compilation),
      measure_(std::move(measure)),
      alone_(compilation.architecture, compilation.network, quietly) {
  alone_.keeps_constants = false;
  alone_.searches_copies = false;
  for (const auto& other : compilation.layers) {
    const bool same = other.group.operators == layer.group.operators;
    if (same) index_ = layers_.size();
    layers_.push_back(without_mappings(same ? layer : other));
  }
}

bool LayerAlone::possible() const {
  return std::ranges::all_of(operands(layers_[index_]), [&](TensorId t) { return known_.homes[t].memory < 0; });
}

/// The layer behind those that show its tensors elsewhere, directly or by each other.
std::vector<LayerPlan> LayerAlone::with_shown(const std::vector<LayerPlan>& layers) const {
  Tensors tensors = operands(layers[index_]);
  std::set<std::size_t> found;
  for (std::size_t before = 0; before != tensors.size();) {
    before = tensors.size();
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (layers[l].placement != Placement::memory) continue;
      const Tensors own = operands(layers[l]);
      if (std::ranges::none_of(own, [&](TensorId t) { return tensors.contains(t); })) continue;
      found.insert(l);
      tensors.insert(own.begin(), own.end());
    }
  }
  std::vector<LayerPlan> result;
  for (const std::size_t l : found) result.push_back(layers[l]);
  result.push_back(layers[index_]);
  return result;
}

/// What these layers read and do not make is input.
void LayerAlone::feed(const std::vector<LayerPlan>& layers) {
  Tensors made, read;
  for (const auto& layer : layers) {
    add_results(layer, made);
    read.merge(operands(layer));
  }
  alone_.network.inputs.clear();
  std::ranges::set_difference(read, made, std::back_inserter(alone_.network.inputs));
  alone_.network.outputs = layers.back().outputs;
}

/// Of all layers those that matter, as they are with the mapping. The others are lent to the pass: copies take longer.
void LayerAlone::lay_out(const Mapping& mapping) {
  std::vector<std::pair<Placement, std::string>> before;
  for (const auto& layer : layers_) before.emplace_back(layer.placement, layer.reason);
  layers_[index_].mappings = {mapping};
  alone_.layers.swap(layers_);
  allocate_pass(alone_);
  alone_.layers.swap(layers_);
  alone_.layers = with_shown(layers_);
  layers_[index_].mappings.clear();
  for (std::size_t l = 0; l < layers_.size(); ++l) std::tie(layers_[l].placement, layers_[l].reason) = before[l];
}

double LayerAlone::cycles(const Mapping& mapping) {
  alone_.network.inputs = known_.network.inputs;
  alone_.network.outputs = known_.network.outputs;
  alone_.homes = known_.homes;
  lay_out(mapping);
  feed(alone_.layers);
  plan_pass(alone_);
  try {
    const Program program = generate_pass(alone_);
    if (program.layers.back().placed_on != "host") return static_cast<double>(measure_(known_.architecture, program));
  } catch (const Error&) {  // it cannot be encoded
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace accord
