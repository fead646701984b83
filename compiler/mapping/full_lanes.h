#pragma once

#include <optional>

#include "compiler/mapping/searcher.h"

namespace accord {

/// The mapping with whole words of lanes where its layer has fewer, as for three channels in words of sixteen: rows lie
/// without gaps then, on chip and off, and move in long runs. Nothing where all are whole, where instructions would
/// take longer, or where what is added would count.
std::optional<Mapping> with_full_lanes(const SearchProblem& problem, const Mapping& mapping);

}  // namespace accord
