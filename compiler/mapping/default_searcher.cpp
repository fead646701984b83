#include "compiler/mapping/default_searcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

#include "compiler/mapping/along_memory.h"
#include "compiler/mapping/search.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr int tried = 32;           // assignments per capability, in blocks or not, that may be quicker
constexpr int tried_further = 12;   // the same of the capability's further ways to match
constexpr int tried_on_detour = 8;  // the same on longer ways, beside those that are quick on the shortest
constexpr int tried_simple = 8;     // of each simple kind after these: bounds are greater, tiles may be easier to bring
constexpr std::size_t promising = 8;  // assignments that are searched further
constexpr std::size_t promising_further = 3;
constexpr double near = 1.3;  // where their predictions come so near the quickest one's; of others one descent does

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

/// What an assignment may be searched for although others of its capability have smaller bounds.
struct Simple {
  bool plain = false, leaves_samples = false, along_memory = false;
};

/// How many assignments of a capability were searched: those with the least bounds, then the simple ones.
class Quota {
 public:
  explicit Quota(const Mapping& assignment) : most_(main_way(assignment) == 0 ? tried : tried_further) {
    if (assignment.detour < 0) return;
    most_ = std::min(most_, tried_on_detour);
    simple_ = 0;
  }

  /// Whether one more is.
  bool admits(const Simple& simple) const {
    return all_ < most_ || (simple.plain && plain_ < simple_) || (simple.leaves_samples && sampled_ < simple_) ||
           (simple.along_memory && along_ < simple_);
  }
  void count(const Simple& simple) {
    if (all_ >= most_) {
      plain_ += simple.plain;
      sampled_ += simple.leaves_samples;
    }
    along_ += simple.along_memory;  // seldom none of the first
    ++all_;
  }

 private:
  int most_;
  int simple_ = tried_simple;
  int all_ = 0, plain_ = 0, sampled_ = 0, along_ = 0;
};

struct Searched {
  std::size_t assignment = 0;
  double cycles = 0;                   ///< after the first descent
  std::unique_ptr<TileSearch> search;  ///< null: it is done
  std::vector<Mapping> best;           ///< once it is done

  void finish() {
    best = search->best(TileSearch::most_kept);
    search.reset();
  }
};

/// Those of one kind that come nearest the quickest so far, which may be searched on.
class Nearest {
 public:
  explicit Nearest(std::size_t most) : most_(most) {}

  /// Searches remember all tiles that they saw: one that stands behind enough others is finished at once.
  void add(Searched& one) {
    nearest_.insert(std::ranges::upper_bound(nearest_, one.cycles, {}, &Searched::cycles), &one);
    if (nearest_.size() <= most_) return;
    nearest_.back()->finish();
    nearest_.pop_back();
  }

  void search_on(double known) {
    const double quickest = std::min(nearest_.front()->cycles, known);
    for (Searched* one : nearest_) {
      if (one->cycles <= near * quickest) one->search->descend_by_pairs();
      one->finish();
    }
  }

  const std::vector<Searched*>& all() const { return nearest_; }

 private:
  std::size_t most_;
  std::vector<Searched*> nearest_;  ///< fewest cycles first
};

/// Whether two assignments differ in nothing but the ways of their operands.
bool same_but_for_ways(const Mapping& a, const Mapping& b) {
  return a.form == b.form && a.extent == b.extent && a.steps == b.steps &&
         std::ranges::equal(a.uses, b.uses, {}, &Use::windowed, &Use::windowed);
}

/// One search: all assignments descend a little; those that come near the quickest, on.
class Descents {
 public:
  explicit Descents(const SearchProblem& problem) : problem_(problem), quickest_(problem.known) {}

  SearchResult run() {
    for (const bool detours : {false, true}) {
      for (std::size_t i = 0; i < problem_.assignments.size(); ++i) {
        if ((problem_.assignments[i].detour >= 0) == detours) look_at(i);
      }
    }
    for (auto& [kind, one] : nearest_) one.search_on(problem_.known);
    std::ranges::stable_sort(all_, {}, &Searched::cycles);
    for (auto& one : all_) {
      for (auto& mapping : one.best) result_.found.push_back({one.assignment, std::move(mapping)});
    }
    std::ranges::stable_sort(result_.found, {}, [](const auto& found) { return found.mapping.predicted_cycles; });
    return std::move(result_);
  }

 private:
  using Kind = std::pair<bool, int>;  ///< of a further way to match or not, and on which detour

  /// On a detour, whether the same was quick without it.
  bool quick_on_shortest_ways(const Mapping& assignment) const {
    const auto found = nearest_.find({main_way(assignment) > 0, -1});
    if (assignment.detour < 0 || found == nearest_.end()) return false;
    return std::ranges::any_of(found->second.all(), [&](const Searched* one) {
      return same_but_for_ways(problem_.assignments[one->assignment], assignment);
    });
  }

  void refuse(std::size_t i, std::string reason) { result_.refused.push_back({i, std::move(reason)}); }

  void look_at(std::size_t i) {
    const Mapping& assignment = problem_.assignments[i];
    const int way = main_way(assignment);
    Quota& quota =
        quotas_.try_emplace({main_capability(assignment), way, in_blocks(assignment), assignment.detour}, assignment)
            .first->second;
    const Simple simple = {is_plain(assignment), leaves_samples(problem_.work, assignment),
                           counts_along_memory(problem_, assignment)};
    if (!quota.admits(simple) && !quick_on_shortest_ways(assignment)) {
      return refuse(i, "not searched: other assignments of the capability have smaller compute bounds");
    }
    const auto bound = static_cast<double>(compute_bound(problem_.machine, assignment));
    if (bound >= quickest_) return refuse(i, fmt::format("takes at least {:.0f} cycles, however it is tiled", bound));
    auto search =
        std::make_unique<TileSearch>(problem_.machine, problem_.network, problem_.work, problem_.homes, assignment);
    search->descend(near * quickest_);
    const double cycles = search->cycles();
    if (cycles == std::numeric_limits<double>::infinity()) return refuse(i, search->error());
    quota.count(simple);
    quickest_ = std::min(quickest_, cycles);
    Nearest& nearest =
        nearest_.try_emplace({way > 0, assignment.detour}, way > 0 ? promising_further : promising).first->second;
    nearest.add(all_.emplace_back(Searched{i, cycles, std::move(search), {}}));
  }

  const SearchProblem& problem_;
  SearchResult result_;
  std::deque<Searched> all_;
  std::map<Kind, Nearest> nearest_;
  std::map<std::tuple<std::pair<int, int>, int, bool, int>, Quota> quotas_;
  double quickest_;
};

}  // namespace

SearchResult DefaultSearcher::search(const SearchProblem& problem) const { return Descents(problem).run(); }

}  // namespace accord
