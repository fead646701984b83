#include "compiler/mapping/default_searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

#include "compiler/mapping/search.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr int tried = 32;          // assignments per capability, in blocks or not, that may be quicker
constexpr int tried_further = 12;  // the same of the capability's further ways to match
constexpr int tried_simple = 8;    // of each simple kind after these: bounds are greater, tiles may be easier to bring
constexpr std::size_t promising = 8;  // assignments that are searched further
constexpr std::size_t promising_further = 3;
constexpr double near = 1.3;  // where their predictions come so near the quickest one's

/// Whether each dim counts one loop at most: instructions begin where rows do.
bool is_plain(const Mapping& assignment) {
  return std::ranges::all_of(assignment.steps.front().chains, [](const auto& chain) { return chain.size() <= 1; });
}

/// Whether no dim counts the loop of the result's first dimension: samples, of which each is done as one alone would
/// be.
bool leaves_samples(const Work& work, const Mapping& assignment) {
  const StatementPlan& step = assignment.steps.front();
  const Access& result = work_of(work, assignment).program.statements[step.statement].target;
  if (result.indices.empty() || result.indices.front().terms.size() != 1) return false;
  const int samples = result.indices.front().terms.front().first;
  return assignment.extent[samples] > 1 && std::ranges::none_of(step.chains, [&](const auto& chain) {
           return std::ranges::find(chain, samples) != chain.end();
         });
}

/// How many assignments of a capability were searched: those with the least bounds, then the simple ones.
class Quota {
 public:
  explicit Quota(int way) : most_(way == 0 ? tried : tried_further) {}

  /// Whether one more is.
  bool admits(bool plain, bool sampled) const {
    return all_ < most_ || (plain && plain_ < tried_simple) || (sampled && sampled_ < tried_simple);
  }
  void count(bool plain, bool sampled) {
    if (all_ >= most_) {
      plain_ += plain;
      sampled_ += sampled;
    }
    ++all_;
  }

 private:
  int most_;
  int all_ = 0, plain_ = 0, sampled_ = 0;
};

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
  std::map<std::tuple<std::pair<int, int>, int, bool, int>, Quota> quotas;
  double quickest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
    const Mapping& assignment = problem.assignments[i];
    const int way = main_way(assignment);
    Quota& quota = quotas.try_emplace({main_capability(assignment), way, in_blocks(assignment), assignment.detour}, way)
                       .first->second;
    const bool plain = is_plain(assignment), sampled = leaves_samples(problem.work, assignment);
    if (!quota.admits(plain, sampled)) {
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
    quota.count(plain, sampled);
    quickest = std::min(quickest, cycles);
    all.push_back({i, cycles, std::move(search)});
  }
  std::ranges::stable_sort(all, {}, &Searched::cycles);
  // Searched on, and the quickest: of further ways to match or not, and of each detour.
  std::map<std::pair<bool, int>, std::pair<std::size_t, double>> further;
  for (const Searched& one : all) {
    const Mapping& assignment = problem.assignments[one.assignment];
    const bool other = main_way(assignment) > 0;
    const auto [at, first] = further.try_emplace({other, assignment.detour}, 0, one.cycles);
    auto& [count, least] = at->second;
    if (count++ < (other ? promising_further : promising) && one.cycles <= near * least) one.search->descend_by_pairs();
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
