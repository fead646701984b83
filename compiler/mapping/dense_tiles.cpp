#include "compiler/mapping/dense_tiles.h"

#include <algorithm>

#include "compiler/mapping/geometry.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

std::int64_t elements_of(const Layout& layout) {
  std::int64_t count = 1;
  for (const LayoutGroup& group : layout.groups) count *= group.extent;
  return count;
}

/// Whether rows of the tile are cut into blocks, or have gaps between them.
bool is_loose(const Layout& layout, std::int64_t element) {
  constexpr double gaps = 1.05;  ///< times the elements' own bytes: worth it
  const bool blocks = std::ranges::any_of(layout.groups, [](const auto& group) { return group.extent > group.block; });
  return blocks || static_cast<double>(layout.bytes) > gaps * static_cast<double>(elements_of(layout) * element);
}

/// A tile in which every iterator counts something: gaps are why tiles are as short as they are.
Extents of_several(const Mapping& mapping, Extents tile) {
  constexpr std::int64_t several = 4;
  for (std::size_t it = 0; it < tile.size(); ++it) tile[it] = std::max(tile[it], std::min(mapping.extent[it], several));
  return tile;
}

/// The same with whole rows of lanes where blocks of them do not divide these: a tile of some blocks has no gaps, and
/// is brought in short runs.
Extents of_whole_rows(const Mapping& mapping, const Layout& layout, Extents tile) {
  if (layout.groups.empty()) return tile;
  const LayoutGroup& lanes = layout.groups.front();
  for (const int a : lanes.axes) {
    for (const auto& [it, coefficient] : layout.axes[a].terms) {
      if (mapping.extent[it] % lanes.block != 0) tile[it] = mapping.extent[it];
    }
  }
  return tile;
}

}  // namespace

bool may_be_dense(const Use& use) { return use.role != UseRole::start && !use.filled && use.depth > 0; }

void share_density(Mapping& mapping) {
  const bool dense = mapping.uses[target_use(mapping)].dense;
  for (Use& use : mapping.uses) {
    if (use.role == UseRole::accumulator || use.role == UseRole::start) use.dense = dense;
  }
}

namespace {

struct Dense {
  Mapping mapping;
  bool by_far = false;  ///< as of DenseTiles
};

Dense with_all_dense(const SearchProblem& problem, const Mapping& mapping) {
  Geometry geometry(problem.machine, problem.network, problem.work, problem.homes, mapping);
  Dense result{mapping};
  Geometry dense(problem.machine, problem.network, problem.work, problem.homes, result.mapping);
  constexpr double far = 2;  // times its instructions, by what bytes take: short runs may be why
  const bool waits = mapping.predicted_cycles > far * static_cast<double>(compute_bound(problem.machine, mapping));
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    const Use& use = mapping.uses[u];
    if (!may_be_dense(use)) continue;
    const std::int64_t element = geometry.element_bytes(u);
    const Extents several = of_several(mapping, mapping.tile[box_level(mapping, use, use.depth - 1)]);
    const Extents tile = waits ? of_whole_rows(mapping, geometry.layout(u, use.depth - 1, several), several) : several;
    const Layout& now = geometry.layout(u, use.depth - 1, tile);
    if (!is_loose(now, element)) continue;
    bool& is_dense = result.mapping.uses[u].dense;
    is_dense = true;
    const Layout& then = dense.layout(u, use.depth - 1, tile);
    is_dense = then.error.empty() && (then.bytes < now.bytes || !is_loose(then, element));
    result.by_far |= waits && is_dense && 2 * then.bytes <= now.bytes;
  }
  share_density(result.mapping);
  return result;
}

}  // namespace

DenseTiles with_dense_tiles(const SearchProblem& problem, const Mapping& mapping) {
  const auto [all, by_far] = with_all_dense(problem, mapping);
  const auto only = [&](bool inputs) {
    Mapping some = mapping;
    for (std::size_t u = 0; u < some.uses.size(); ++u) {
      if ((some.uses[u].role == UseRole::input) == inputs) some.uses[u].dense = all.uses[u].dense;
    }
    return some;
  };
  const auto differs = [&](const Mapping& some) {
    return !std::ranges::equal(some.uses, mapping.uses, {}, &Use::dense, &Use::dense);
  };
  const Mapping inputs = only(true), results = only(false);
  if (!differs(all)) return {};
  if (!differs(inputs) || !differs(results)) return {{all}, by_far};
  return {{all, results, inputs}, by_far};
}

}  // namespace accord
