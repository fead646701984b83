#include "compiler/handed_over.h"

#include <algorithm>

namespace accord {
namespace {

/// Operators of layers that the machine runs, or that share memory, which read the tensor.
std::ptrdiff_t readers_on_machine(const Compilation& compilation, TensorId tensor) {
  std::ptrdiff_t readers = 0;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement == Placement::host) continue;
    for (const int op : layer.group.operators) {
      readers += std::ranges::count(compilation.network.operators[static_cast<std::size_t>(op)].inputs, tensor);
    }
  }
  return readers;
}

}  // namespace

LayerPlan* writer_of(Compilation& compilation, TensorId tensor) {
  const auto writes = [&](const LayerPlan& layer) { return std::ranges::count(layer.outputs, tensor) != 0; };
  const auto found = std::ranges::find_if(compilation.layers, writes);
  return found == compilation.layers.end() ? nullptr : &*found;
}

std::ptrdiff_t readers_of(const Compilation& compilation, TensorId tensor) {
  return std::ranges::count(compilation.network.outputs, tensor) + readers_on_machine(compilation, tensor);
}

bool is_handed_over(Compilation& compilation, TensorId tensor) {
  if (compilation.network.tensor(tensor).is_constant() || readers_of(compilation, tensor) != 1) return false;
  const LayerPlan* writer = writer_of(compilation, tensor);
  return writer == nullptr || writer->placement == Placement::host;
}

bool is_taken_back(const Compilation& compilation, TensorId tensor) {
  return readers_on_machine(compilation, tensor) == 0;
}

}  // namespace accord
