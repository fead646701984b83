#pragma once

#include <cstddef>
#include <vector>

#include "compiler/compilation.h"

namespace accord {

constexpr double as_quick = 1.002;  ///< times the quickest's cycles: then fewer bytes off chip decide

/// Which of the layer's mappings moves fewest bytes off chip, of those that are as quick as the one at `quickest` is;
/// that one where none moves fewer by a twentieth. `cycles`: those predicted or measured.
std::size_t least_moving(const Compilation& compilation, const LayerPlan& layer,
                         const std::vector<SearchResult::Found>& found, std::size_t quickest, double Mapping::*cycles);

}  // namespace accord
