#include "compiler/mapping/exhaustive_searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "archdsl/source/error.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/mapping/tiling_space.h"
#include "compiler/mapping/verify.h"

namespace accord {
namespace {

bool cheaper(const Mapping& a, const Mapping& b) { return a.predicted_cycles < b.predicted_cycles; }

/// The best mappings of one assignment.
class AssignmentSearch {
 public:
  AssignmentSearch(const SearchProblem& problem, const Mapping& assignment, std::size_t kept)
      : problem_(problem), space_(problem.machine, assignment), kept_(kept) {}

  std::vector<Mapping> run(std::string& reason) {
    space_.for_each_tiles([&](Mapping& tiled) { return visit_tiles(tiled); });
    reason = reason_;
    return std::move(best_);
  }

 private:
  /// Single copies take the least room: where they do not fit, nothing does, whatever the order.
  bool visit_tiles(Mapping& tiled) {
    Geometry geometry(problem_.machine, problem_.network, problem_.work, problem_.homes, tiled);
    const Cost alone = problem_.cost.cost(problem_.machine, geometry, problem_.work, tiled);
    if (!alone.error.empty()) {
      if (reason_.empty()) reason_ = alone.error;
      return true;
    }
    return space_.for_each_order(tiled, [&](Mapping& ordered) {
      return space_.for_each_copies(ordered, [&](Mapping& mapping) {
        keep(problem_.cost.cost(problem_.machine, geometry, problem_.work, mapping), mapping);
        return true;
      });
    });
  }

  void keep(const Cost& cost, Mapping& mapping) {
    if (!cost.error.empty()) return;
    mapping.predicted_cycles = cost.cycles;
    if (best_.size() == kept_ && !cheaper(mapping, best_.back())) return;
    const std::string wrong = verify(problem_.machine, problem_.network, problem_.work, problem_.homes, mapping);
    if (!wrong.empty()) {
      if (reason_.empty()) reason_ = wrong;
      return;
    }
    best_.insert(std::upper_bound(best_.begin(), best_.end(), mapping, cheaper), mapping);
    if (best_.size() > kept_) best_.pop_back();
  }

  const SearchProblem& problem_;
  TilingSpace space_;
  std::size_t kept_;
  std::string reason_;
  std::vector<Mapping> best_;
};

}  // namespace

SearchResult ExhaustiveSearcher::search(const SearchProblem& problem) const {
  SearchResult result;
  std::int64_t total = 0;
  double quickest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
    const auto bound = static_cast<double>(compute_bound(problem.machine, problem.assignments[i]));
    if (bound > quickest) {
      result.refused.push_back({i, fmt::format("takes at least {:.0f} cycles, however it is tiled", bound)});
      continue;
    }
    total += TilingSpace(problem.machine, problem.assignments[i]).count(limit_ - total);
    if (total > limit_) {
      const auto& last = problem.network.operators[problem.work.operators.back()];
      const std::string& layer = problem.network.tensor(last.outputs.front()).name;
      throw Error(fmt::format("exhaustive search: '{}' has more than {} mappings", layer, limit_));
    }
    std::string reason;
    auto best = AssignmentSearch(problem, problem.assignments[i], kept_).run(reason);
    if (best.empty()) result.refused.push_back({i, reason});
    if (!best.empty()) quickest = std::min(quickest, best.front().predicted_cycles);
    for (auto& mapping : best) result.found.push_back({i, std::move(mapping)});
  }
  std::stable_sort(result.found.begin(), result.found.end(),
                   [](const auto& a, const auto& b) { return cheaper(a.mapping, b.mapping); });
  return result;
}

}  // namespace accord
