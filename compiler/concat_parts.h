#pragma once

#include <cstddef>
#include <vector>

#include "compiler/layout_cost.h"

namespace accord {

struct PartsApart {
  std::size_t copies = 0;              ///< layers that stand before the Concat now
  std::vector<std::size_t> changed{};  ///< other layers, as they stand now, that touch what lies otherwise
};

/// Leaves parts of the Concat that the layer at that place is where their readers and writers want them, and copies
/// them into the whole, if that takes fewer cycles.
PartsApart leave_parts_apart(Compilation& compilation, LayoutCost& cost, std::size_t concat);

}  // namespace accord
