#include "compiler/layer_search.h"

#include <algorithm>
#include <map>

namespace accord {
namespace {

constexpr std::size_t kept = 3;  // per capability, for the case that an encoding cannot express the best

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

}  // namespace

LayerSearch search_layer(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  const Searcher& searcher = *compilation.options.searcher;
  const SearchProblem problem = {compilation.machine, compilation.network, layer.work,
                                 compilation.homes,   layer.mappings,      shipped_cost_model()};
  LayerSearch result;
  result.all = searcher.search(problem);
  std::map<std::pair<int, int>, std::size_t> count;
  for (const auto& found : result.all.found) {
    if (++count[main_capability(found.mapping)] <= kept) result.kept.push_back(found);
  }
  divide_all(problem, searcher, shared, result.kept);
  return result;
}

}  // namespace accord
