#pragma once

#include <vector>

#include "compiler/mapping/searcher.h"

namespace accord {

/// Whether tiles of the use may lie without gaps (Use::dense).
bool may_be_dense(const Use& use);

/// All that is done with the accumulator's tile sees it lie as the main statement's target does.
void share_density(Mapping& mapping);

struct DenseTiles {
  std::vector<Mapping> variants;
  bool by_far = false;  ///< some tile takes half of its bytes, or less, where bytes take the time
};

/// The mapping, which has tiles, with inputs, results and sums lying without gaps on chip (Use::dense) where words or
/// blocks of lanes would leave gaps or break rows and no wire forbids it; and, where both inputs and results then do,
/// with either alone: what lies in blocks is arranged once, on its way in, and what does not on every tile's.
DenseTiles with_dense_tiles(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
