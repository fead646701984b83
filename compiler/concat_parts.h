#pragma once

#include <cstddef>
#include <vector>

#include "compiler/layout_cost.h"

namespace accord {

/// Leaves parts of the Concat that the layer at that place is where their readers and writers want them, and copies
/// them into the whole, if that takes fewer cycles: the copies stand before it then. Which layers changed besides, as
/// they stand now; how many copies there are.
struct PartsApart {
  std::size_t copies = 0;
  std::vector<std::size_t> changed{};
};
PartsApart leave_parts_apart(Compilation& compilation, LayoutCost& cost, std::size_t concat);

}  // namespace accord
