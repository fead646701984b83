#include "compiler/mapping/arrange_last.h"

#include <cstdlib>

#include "compiler/mapping/geometry.h"

namespace accord {
namespace {

/// The tile with all of the loop whose elements lie closest at home: what can be gained shows there.
Extents with_whole_row(const Mapping& mapping, const Use& use, const HomeStrides& strides, Extents tile) {
  std::int64_t closest = 0;
  int row = -1;
  for (std::size_t it = 0; it < tile.size(); ++it) {
    const std::int64_t step = std::abs(access_step(strides, use.access, static_cast<int>(it)));
    if (step == 0 || mapping.extent[it] == 1 || (row >= 0 && step >= closest)) continue;
    row = static_cast<int>(it);
    closest = step;
  }
  if (row >= 0) tile[row] = mapping.extent[row];
  return tile;
}

}  // namespace

bool may_arrange_last(const Work& work, const Use& use) {
  const bool moves = use.role == UseRole::input || use.role == UseRole::output;
  return moves && !use.filled && use.depth > 1 && !work.operands[use.access.operand].constant;
}

std::optional<Mapping> with_last_arranged(const SearchProblem& problem, const Mapping& mapping) {
  Mapping result = mapping;
  Geometry now(problem.machine, problem.network, problem.work, problem.homes, mapping);
  Geometry then(problem.machine, problem.network, problem.work, problem.homes, result);
  bool some = false;
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    const Use& use = mapping.uses[u];
    if (use.as_home || !may_arrange_last(problem.work, use)) continue;
    const Extents tile = with_whole_row(mapping, use, now.strides(u), mapping.tile[box_level(mapping, use, 0)]);
    const TileMove& before = now.move(u, 0, tile, mapping.extent);
    result.uses[u].as_home = true;
    const TileMove& after = then.move(u, 0, tile, mapping.extent);
    result.uses[u].as_home = after.error.empty() && (!before.error.empty() || after.cycles < before.cycles);
    some = some || result.uses[u].as_home;
  }
  return some ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace accord
