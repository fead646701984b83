#include "compiler/mapping/random_searcher.h"

#include <algorithm>
#include <optional>
#include <random>

#include "compiler/mapping/arrange_last.h"
#include "compiler/mapping/dense_tiles.h"
#include "compiler/mapping/keeping.h"
#include "compiler/mapping/tiling_space.h"
#include "compiler/mapping/verify.h"

namespace accord {
namespace {

constexpr int draws = 64;  // per assignment, before it counts as one that nothing fits

/// Not the standard distributions: their results differ between libraries.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// Half of the mappings keep each loop whole more often than not: small tiles all over would nearly always be slow, and
/// large ones nearly never fit.
Mapping draw_mapping(const Work& work, const TilingSpace& space, const Mapping& assignment, Draw& draw) {
  Mapping mapping = assignment;
  mapping.tile.assign(mapping.levels, mapping.extent);
  mapping.order.assign(mapping.levels, {});
  const bool large = draw.below(2) == 0;
  for (int level = 0; level < mapping.levels; ++level) {
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      const std::int64_t outer = level == 0 ? mapping.extent[it] : mapping.tile[level - 1][it];
      const auto sizes = space.sizes(static_cast<int>(it), outer);
      const bool whole = draw.below(large ? 4 : 2) != 0;
      mapping.tile[level][it] = whole ? outer : sizes[draw.below(sizes.size())];
      mapping.order[level].push_back(static_cast<int>(it));
    }
    draw.shuffle(mapping.order[level]);
  }
  for (Use& use : mapping.uses) {
    use.dense = may_be_dense(use) && draw.below(3) == 0;
    use.as_home = may_arrange_last(work, use) && draw.below(3) == 0;
  }
  share_density(mapping);
  mapping.copies = equal_copies(mapping.uses.size(), mapping.levels, 1);
  for (auto& levels : mapping.copies) {
    for (int& copies : levels) copies += static_cast<int>(draw.below(3));
  }
  const auto keeping = keeping_copies(mapping, mapping.copies);
  if (!keeping.empty() && draw.below(2) == 0) mapping.copies = keeping[draw.below(keeping.size())];
  mapping.stores_whole = draw.below(3) == 0;
  return mapping;
}

std::optional<Mapping> draw_legal(const SearchProblem& problem, const Mapping& assignment, Draw& draw,
                                  std::string& reason) {
  const TilingSpace space(problem.machine, assignment);
  for (int i = 0; i < draws; ++i) {
    Mapping mapping = draw_mapping(problem.work, space, assignment, draw);
    std::string wrong = verify(problem.machine, problem.network, problem.work, problem.homes, mapping);
    if (reason.empty()) reason = wrong;
    if (!wrong.empty()) continue;
    Geometry geometry(problem.machine, problem.network, problem.work, problem.homes, mapping);
    const Cost cost = problem.cost.cost(problem.machine, geometry, problem.work, mapping);
    mapping.predicted_cycles = cost.cycles;
    if (cost.error.empty()) return mapping;
    if (reason.empty()) reason = cost.error;
  }
  return std::nullopt;
}

}  // namespace

SearchResult RandomSearcher::search(const SearchProblem& problem) const {
  Draw draw(seed_);
  SearchResult result;
  for (std::size_t i = 0; i < problem.assignments.size(); ++i) {
    std::string reason;
    auto mapping = draw_legal(problem, problem.assignments[i], draw, reason);
    if (mapping) {
      result.found.push_back({i, std::move(*mapping)});
    } else {
      result.refused.push_back({i, reason});
    }
  }
  draw.shuffle(result.found);
  return result;
}

}  // namespace accord
