#pragma once

#include <optional>

#include "compiler/mapping/searcher.h"

namespace accord {

/// The mapping, which has tiles, with its transfers on other movers where several that are alike join the same
/// memories: those that take longest first, each on the mover that has least to do by then. Tiles stay; nothing where
/// all stays.
std::optional<Mapping> on_parallel_movers(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
