#pragma once

#include <vector>

#include "compiler/mapping/plan.h"

namespace accord {

/// Copies with which some input's tiles stay on chip while loops around them turn: of one input's level 0 tiles as many
/// as come in those loops (Fills::round), or twice as many, so that the next ones come meanwhile. Of all others
/// `others`. In the mapping's loop order. None where it keeps no tiles.
std::vector<Copies> keeping_copies(const Mapping& mapping, const Copies& others);

}  // namespace accord
