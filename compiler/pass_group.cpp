#include <algorithm>
#include <utility>

#include "compiler/codelets/codelet.h"
#include "compiler/compilation.h"

namespace accord {
namespace {

/// Whether a unit does several of something at a time, and not one alone.
bool counts_several(const Architecture& architecture) {
  return std::ranges::any_of(architecture.units, [](const Unit& unit) {
    return std::ranges::any_of(unit.capabilities, [](const Capability& capability) {
      return std::ranges::any_of(capability.dims, [](const CapabilityDim& dim) { return dim.minimum > 1; });
    });
  });
}

bool counts_one(const Work& work) {
  return std::ranges::any_of(work.program.iterators, [](const auto& iterator) { return iterator.extent == 1; });
}

}  // namespace

namespace {

LayerPlan layer_of(const Compilation& compilation, const Consumers& readers, Group group) {
  LayerPlan layer;
  const CodeletLibrary& codelets = CodeletLibrary::shipped();
  layer.work = instantiate(compilation.network, group.operators, codelets);
  if (counts_one(layer.work) && counts_several(compilation.architecture)) {
    layer.with_ones = instantiate(compilation.network, group.operators, codelets, true);
  }
  layer.outputs = visible_outputs(compilation.network, readers, group);
  layer.group = std::move(group);
  return layer;
}

}  // namespace

LayerPlan layer_of(const Compilation& compilation, Group group) {
  return layer_of(compilation, consumers_of(compilation.network), std::move(group));
}

const std::string& name_of(const Network& network, const LayerPlan& layer) {
  return network.tensor(network.operators[static_cast<std::size_t>(layer.group.operators.back())].outputs[0]).name;
}

LayerPlan without_mappings(LayerPlan& layer) {
  std::vector<Mapping> mappings = std::exchange(layer.mappings, {});
  LayerPlan copy = layer;
  layer.mappings = std::move(mappings);
  return copy;
}

void group_pass(Compilation& compilation) {
  const Consumers readers = consumers_of(compilation.network);
  for (auto& group : group_operators(compilation.network)) {
    compilation.layers.push_back(layer_of(compilation, readers, std::move(group)));
  }
}

}  // namespace accord
