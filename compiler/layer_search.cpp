#include "compiler/layer_search.h"

#include <algorithm>
#include <map>

#include "compiler/refine.h"

namespace accord {
namespace {

constexpr std::size_t kept = 3;        // per capability, for the case that an encoding cannot express the best
constexpr std::size_t scheduled = 12;  // per capability, of which the schedule chooses those

/// Adds the divisions over several elements that are quicker; each mapping stays behind its own.
void divide_all(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared,
                std::vector<SearchResult::Found>& known) {
  std::vector<SearchResult::Found> all;
  for (const auto& [index, mapping] : known) {
    auto quicker = divide(problem, searcher, shared, mapping);
    if (quicker.size() > kept) quicker.resize(kept);
    for (auto& divided : quicker) all.push_back({index, std::move(divided)});
    all.push_back({index, mapping});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.mapping.predicted_cycles < b.mapping.predicted_cycles;
  });
  known = std::move(all);
}

/// The first so many of each capability.
void keep(std::vector<SearchResult::Found>& found, std::size_t most) {
  std::map<std::pair<int, int>, std::size_t> count;
  std::erase_if(found, [&](const auto& entry) { return ++count[main_capability(entry.mapping)] > most; });
}

}  // namespace

LayerSearch search_layer(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  const Searcher& searcher = *compilation.options.searcher;
  const SearchProblem problem = {compilation.machine, compilation.network, layer.work,
                                 compilation.homes,   layer.mappings,      shipped_cost_model()};
  LayerSearch result;
  result.all = searcher.search(problem);
  result.kept = result.all.found;
  keep(result.kept, searcher.leaves_choice() ? scheduled : kept);
  if (searcher.leaves_choice()) refine(compilation, shared, layer, result.kept);
  keep(result.kept, kept);
  divide_all(problem, searcher, shared, result.kept);
  return result;
}

}  // namespace accord
