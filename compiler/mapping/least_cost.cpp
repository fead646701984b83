#include "compiler/mapping/least_cost.h"

#include "compiler/mapping/by_id.h"

namespace accord {

std::int64_t different_tiles(const Work& work, const Mapping& mapping, const TileCosts& tiles,
                             const TileCosts::Move& move) {
  const Use& use = mapping.uses[move.use];
  const bool starts = starts_tiles(work, use, move.level);
  std::int64_t count = 1;
  for (std::size_t i = 0; i < mapping.extent.size(); ++i) {
    const int it = static_cast<int>(i);
    if (starts ? is_reduction(work, mapping, it) : !tiles.fixed->depends[move.use][i]) continue;
    for (int level = 0; level <= move.box; ++level) count *= trips(mapping, level, it);
  }
  return count;
}

double least_cost(const Work& work, const Mapping& mapping, const TileCosts& tiles) {
  ById<double> cycles;
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    cycles[mapping.steps[s].match.unit] += tiles.step_cycles[s];
  }
  for (const auto& move : tiles.moves) {
    cycles[move.hop.unit] += move.cycles * static_cast<double>(different_tiles(work, mapping, tiles, move));
  }
  return most_of(cycles);
}

}  // namespace accord
