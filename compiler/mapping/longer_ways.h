#pragma once

#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// The assignment with inputs on longer ways than the shortest: through a memory on chip that these leave out, and that
/// holds more than the one that they lead to, so that what is read there again, by whichever element, comes from off
/// chip once. One for each such memory, of the largest two.
std::vector<Mapping> on_longer_ways(const Machine& machine, const Mapping& mapping);

}  // namespace accord
