#include "compiler/mapping/default_searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "compiler/mapping/search.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr int tried = 32;             // assignments per capability, in blocks or not, that may be quicker
constexpr std::size_t promising = 8;  // assignments that are searched further
constexpr double near = 1.3;          // where their predictions come so near the quickest one's

struct Searched {
  std::size_t assignment = 0;
  double cycles = 0;
  std::unique_ptr<TileSearch> search;
};

}  // namespace

/// All descend a little; those that come near the quickest, on.
SearchResult DefaultSearcher::search(const SearchProblem& problem) const {
  SearchResult result;
  std::vector<Searched> all;
  std::map<std::pair<std::pair<int, int>, bool>, int> count;
  double quickest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
    const Mapping& assignment = problem.assignments[i];
    int& searched = count[{main_capability(assignment), in_blocks(assignment)}];
    if (searched >= tried) {
      result.refused.push_back({i, "not searched: other assignments of the capability have smaller compute bounds"});
      continue;
    }
    const auto bound = static_cast<double>(compute_bound(problem.machine, assignment));
    if (bound >= quickest) {
      result.refused.push_back({i, fmt::format("takes at least {:.0f} cycles, however it is tiled", bound)});
      continue;
    }
    auto search =
        std::make_unique<TileSearch>(problem.machine, problem.network, problem.work, problem.homes, assignment);
    search->descend();
    const double cycles = search->cycles();
    if (cycles == std::numeric_limits<double>::infinity()) {
      result.refused.push_back({i, search->error()});
      continue;
    }
    ++searched;
    quickest = std::min(quickest, cycles);
    all.push_back({i, cycles, std::move(search)});
  }
  std::ranges::stable_sort(all, {}, &Searched::cycles);
  for (std::size_t i = 0; i < std::min(promising, all.size()); ++i) {
    if (all[i].cycles <= near * quickest) all[i].search->descend_by_pairs();
  }
  for (const auto& [assignment, cycles, search] : all) {
    for (auto& mapping : search->best(TileSearch::most_kept)) result.found.push_back({assignment, std::move(mapping)});
  }
  std::stable_sort(result.found.begin(), result.found.end(), [](const auto& a, const auto& b) {
    return a.mapping.predicted_cycles < b.mapping.predicted_cycles;
  });
  return result;
}

}  // namespace accord
