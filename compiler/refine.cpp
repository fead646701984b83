#include "compiler/refine.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/mapping/search.h"
#include "compiler/mapping_schedule.h"

namespace accord {
namespace {

constexpr double most_operations = 20000;  ///< scheduled for one layer, all mappings together
constexpr double most_in_loops = 15000;    ///< the same where there are loops: a body is scheduled for several turns
constexpr double most_unseen = 1.2;        ///< of sums alone: a best one too long to schedule may be behind so far
constexpr double about_as_quick = 1.1;     ///< of sums alone: of such ones the shortest are scheduled first
constexpr std::size_t near = 16;           ///< tilings tried around each that is better

class Refinement {
 public:
  Refinement(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
             std::vector<SearchResult::Found>& mappings, std::vector<ScheduledMapping>& scheduled)
      : compilation_(compilation), shared_(shared), layer_(layer), mappings_(mappings), scheduled_(scheduled) {
    left_ = mappings.front().mapping.rolls ? most_in_loops : most_operations;
  }

  bool run() {
    const bool all = evaluate_all();
    const double unseen = mappings_.front().mapping.scheduled ? std::numeric_limits<double>::infinity() : most_unseen;
    std::ranges::stable_sort(mappings_, {}, [&](const SearchResult::Found& found) {
      return found.mapping.predicted_cycles * (found.mapping.scheduled ? 1 : unseen);
    });
    if (!mappings_.front().mapping.scheduled) return false;
    for (;;) {
      switch (improve()) {
        case Outcome::better: break;
        case Outcome::none: return all;
        case Outcome::too_long: return false;
      }
    }
  }

 private:
  /// As many as the budget allows: the best one, of those that the sums predict to be about as quick the shortest
  /// first, then the others. True if all were.
  bool evaluate_all() {
    const double quickest = mappings_.front().mapping.predicted_cycles;
    std::vector<double> operations;
    for (const auto& found : mappings_) {
      if (found.mapping.predicted_cycles > about_as_quick * quickest) break;
      operations.push_back(MappingSchedule(compilation_, shared_, layer_, found.mapping).expected_operations());
    }
    std::vector<std::size_t> turn(mappings_.size());
    std::iota(turn.begin(), turn.end(), std::size_t{0});
    std::ranges::stable_sort(turn.begin() + 1, turn.begin() + std::ssize(operations), {},
                             [&](std::size_t i) { return operations[i]; });
    bool all = true;
    for (const std::size_t i : turn) all &= evaluate(mappings_[i].assignment, mappings_[i].mapping);
    return all;
  }

  /// False where that would cost too much.
  bool evaluate(std::size_t assignment, Mapping& mapping) {
    if (mapping.scheduled) return true;
    const MappingSchedule schedule(compilation_, shared_, layer_, mapping);
    if (schedule.expected_operations() > left_) return false;
    const auto [cycles, operations] = schedule.run();
    left_ -= operations;
    mapping.predicted_cycles = std::max(cycles, static_cast<double>(layer_.bound.cycles));
    mapping.scheduled = true;
    scheduled_.push_back({{assignment, mapping}, operations});
    return true;
  }

  std::vector<Mapping> near_best() {
    const Mapping& best = mappings_.front().mapping;
    if (best.spatial.empty()) {
      return near_tilings(compilation_.machine, compilation_.network, layer_.work, compilation_.homes, best, near);
    }
    return near_divided({compilation_.machine, compilation_.network, layer_.work, compilation_.homes, layer_.mappings,
                         shipped_cost_model()},
                        shared_, best, near);
  }

  /// The last of those near the best one has its results stored the other way: whether cutting them pays depends on
  /// what else passes their mover, so on the tiles.
  std::vector<Mapping> with_other_stores(std::vector<Mapping> near) {
    Mapping other = mappings_.front().mapping;
    if (other.rolls) return near;
    other.stores_whole = !other.stores_whole;
    near.push_back(std::move(other));
    return near;
  }

  enum class Outcome { better, none, too_long };

  /// Replaces the best mapping by the first better one near it.
  Outcome improve() {
    auto& [assignment, best] = mappings_.front();
    for (auto& mapping : with_other_stores(near_best())) {
      mapping.scheduled = false;
      if (!evaluate(assignment, mapping)) return Outcome::too_long;
      if (mapping.predicted_cycles >= best.predicted_cycles) continue;
      best = std::move(mapping);
      return Outcome::better;
    }
    return Outcome::none;
  }

  const Compilation& compilation_;
  SharedMachines& shared_;
  const LayerPlan& layer_;
  std::vector<SearchResult::Found>& mappings_;
  std::vector<ScheduledMapping>& scheduled_;
  double left_;  ///< operations that may still be scheduled
};

}  // namespace

bool refine(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
            std::vector<SearchResult::Found>& mappings, std::vector<ScheduledMapping>& scheduled) {
  return mappings.empty() || Refinement(compilation, shared, layer, mappings, scheduled).run();
}

}  // namespace accord
