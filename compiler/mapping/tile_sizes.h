#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// Which sizes a search tries for each iterator's tiles.
struct TileSizes {
  std::vector<std::vector<std::int64_t>> least;   ///< [level][iterator]: smaller ones waste instructions
  std::vector<std::vector<std::int64_t>> finest;  ///< [level][iterator]: no legal tile is smaller
  std::vector<std::vector<std::int64_t>> one;     ///< [level][iterator]: the greatest that one instruction counts
  std::vector<std::vector<std::int64_t>> cut;     ///< the least where reductions are cut above the memory of their sums
  /// The least that also fill the main step's dims with fused iterators: blocks of lanes are never cut.
  std::vector<std::vector<std::int64_t>> filled;
  /// The least with whole sums, and the same with lanes of results in half and in quarters: what has room on chip
  /// brings constants once, where every larger tile of results would bring some of them again.
  std::vector<std::vector<std::vector<std::int64_t>>> whole_sums;
  std::vector<std::vector<std::int64_t>> sizes;  ///< [iterator]: ascending, the extent last
};

/// Sizes that divide the extent evenly or fill the capability's dims, in steps of what one instruction counts. `least`
/// is one instruction's worth; reductions that must happen at once, and fused inner iterators, whole.
TileSizes tile_sizes(const Machine& machine, const Work& work, const Mapping& mapping);

}  // namespace accord
