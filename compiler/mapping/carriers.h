#pragma once

#include "archdsl/graph/architecture.h"

namespace accord {

/// Whether the capability leaves its target as it is (`y[i] = y[i]`): no instruction is needed for that.
bool leaves_in_place(const Capability& capability);

/// The machine as the mapper sees it: with a unit more, of its name, for each memory on chip that routes reach from
/// off-chip memory and leave to there. What transfers carry through such a memory stays in place between them: the
/// unit's capability, `carry`, does just that, with lanes as wide as the memory's words. Units and memories of the
/// covenant keep their numbers.
Architecture with_carriers(const Architecture& architecture);

}  // namespace accord
