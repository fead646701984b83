#pragma once

#include <optional>

#include "compiler/mapping/searcher.h"

namespace accord {

/// Whether tiles of the use may lie without gaps (Use::dense): those of inputs, and of results that no initial values
/// are brought to.
bool may_be_dense(const Mapping& mapping, const Use& use);

/// The mapping, which has tiles, with inputs and results lying without gaps on chip (Use::dense) where words or blocks
/// of lanes would leave gaps or break rows; nothing where none would, or where no wire allows it.
std::optional<Mapping> with_dense_tiles(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
