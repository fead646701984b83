#include "compiler/mapping/default_searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "compiler/mapping/search.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr int tried = 32;           // assignments per capability whose tiles are searched, if they may be quicker
constexpr std::size_t tilings = 6;  // handed on of each

}  // namespace

SearchResult DefaultSearcher::search(const SearchProblem& problem) const {
  SearchResult result;
  std::map<std::pair<int, int>, int> count;
  double quickest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
    const Mapping& assignment = problem.assignments[i];
    int& searched = count[main_capability(assignment)];
    if (searched >= tried) {
      result.refused.push_back({i, "not searched: other assignments of the capability have smaller compute bounds"});
      continue;
    }
    const auto bound = static_cast<double>(compute_bound(problem.machine, assignment));
    if (bound >= quickest) {
      result.refused.push_back({i, fmt::format("takes at least {:.0f} cycles, however it is tiled", bound)});
      continue;
    }
    std::string why;
    auto best = best_tilings(problem.machine, problem.network, problem.work, problem.homes, assignment, tilings, why);
    if (best.empty()) {
      result.refused.push_back({i, why});
      continue;
    }
    ++searched;
    quickest = std::min(quickest, best.front().predicted_cycles);
    for (auto& mapping : best) result.found.push_back({i, std::move(mapping)});
  }
  std::stable_sort(result.found.begin(), result.found.end(), [](const auto& a, const auto& b) {
    return a.mapping.predicted_cycles < b.mapping.predicted_cycles;
  });
  return result;
}

}  // namespace accord
