#pragma once

#include <optional>

#include "compiler/mapping/searcher.h"

namespace accord {

/// Whether tiles of the use may lie as at home until the last transfer (Use::as_home). Constants are arranged before
/// the program runs.
bool may_arrange_last(const Work& work, const Use& use);

/// The mapping, which has tiles, with activations lying as at home in the memories on their way where their rows go to
/// or come from off chip quicker so; nothing where none do.
std::optional<Mapping> with_last_arranged(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
