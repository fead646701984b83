#include <algorithm>

#include "compiler/layer_search.h"
#include "compiler/mapping/searcher.h"
#include "compiler/mapping/split.h"

namespace accord {
namespace {

/// Tiles, order and copies of an equal layer's mappings; matches and uses stay the layer's own.
void adopt(std::vector<Mapping>& mappings, const std::vector<SearchResult::Found>& known) {
  std::vector<Mapping> result;
  for (const auto& [index, source] : known) {
    Mapping mapping = mappings[index];
    mapping.spatial = source.spatial;
    mapping.extent = source.extent;
    adopt_tiling(mapping, source);
    result.push_back(std::move(mapping));
  }
  mappings = std::move(result);
}

/// The assignments of the mappings that were found, then the others by their bounds; each once. Of the work itself:
/// slices try no other forms than those of the mappings.
std::vector<Mapping> promising(const std::vector<Mapping>& assignments, const LayerSearch& search) {
  constexpr std::size_t most = 12;
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t index) {
    const bool known = std::find(order.begin(), order.end(), index) != order.end();
    if (order.size() < most && !known && assignments[index].form == nullptr) order.push_back(index);
  };
  for (const auto& found : search.kept) add(found.assignment);
  const auto least = std::find_if(assignments.begin(), assignments.end(), [](const auto& a) { return !a.form; });
  if (least != assignments.end()) add(static_cast<std::size_t>(least - assignments.begin()));
  for (const auto& found : search.all.found) add(found.assignment);
  for (std::size_t i = 0; i < assignments.size() && order.size() < most; ++i) add(i);
  std::vector<Mapping> result;
  for (const std::size_t index : order) result.push_back(assignments[index]);
  return result;
}

}  // namespace

void map_pass(Compilation& compilation) {
  search_ahead(compilation);
  SharedMachines shared(compilation.machine);
  std::size_t done = 0;
  for (auto& layer : compilation.layers) {
    compilation.progress("map", done++, compilation.layers.size());
    if (layer.placement != Placement::machine) continue;
    const LayerSearch& found = measure_once(compilation, shared, layer);
    if (found.kept.empty()) {
      layer.placement = Placement::host;
      layer.reason = found.all.refused.empty() ? "no tiling fits" : found.all.refused.front().reason;
      continue;
    }
    layer.assignments = promising(layer.mappings, found);
    adopt(layer.mappings, found.kept);
    check_mappings(compilation, layer);
  }
}

}  // namespace accord
