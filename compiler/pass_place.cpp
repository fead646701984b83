#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/compilation.h"
#include "compiler/mapping/views.h"

namespace accord {
namespace {

bool only_rearranges(const Compilation& compilation, const Group& group) {
  const Operator& op = compilation.network.operators[group.operators[0]];
  if (group.operators.size() != 1) return false;
  return op.type == "Concat" || may_be_view(compilation.network, op, compilation.homes);
}

}  // namespace

/// Layers that only rearrange are left to the allocation, which may share memory instead of copying.
void place_pass(Compilation& compilation) {
  std::size_t done = 0;
  for (auto& layer : compilation.layers) {
    compilation.progress("place", done++, compilation.layers.size());
    if (only_rearranges(compilation, layer.group)) {
      layer.placement = Placement::memory;
      continue;
    }
    auto& reasons = layer.turned_down;
    layer.mappings = candidates(compilation.machine, compilation.network, layer.work, compilation.homes, reasons);
    if (layer.mappings.empty()) {
      layer.placement = Placement::host;
      layer.reason = reasons.empty() ? "no legal assignment of its loops" : fmt::format("{}", fmt::join(reasons, "; "));
      continue;
    }
    layer.bound = bound_of(compilation.machine, compilation.network, layer.work, compilation.homes, layer.mappings);
  }
}

}  // namespace accord
