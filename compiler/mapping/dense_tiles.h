#pragma once

#include <optional>

#include "compiler/mapping/searcher.h"

namespace accord {

/// Whether tiles of the use may lie without gaps (Use::dense).
bool may_be_dense(const Use& use);

/// All that is done with the accumulator's tile sees it lie as the main statement's target does.
void share_density(Mapping& mapping);

/// The mapping, which has tiles, with inputs, results and sums lying without gaps on chip (Use::dense) where words or
/// blocks of lanes would leave gaps or break rows; nothing where none would, or where no wire allows it.
std::optional<Mapping> with_dense_tiles(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
