#pragma once

#include "compiler/mapping/searcher.h"

namespace accord {

/// Whether the narrowest wired dim of the target counts nothing but the loop whose results lie side by side between
/// layers: rows of lanes are then runs of memory. Not where padding may take a part out of its Concat.
bool counts_along_memory(const SearchProblem& problem, const Mapping& assignment);

}  // namespace accord
