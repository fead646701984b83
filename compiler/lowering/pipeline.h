#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Overlaps the turns of each loop (software pipelining): the body becomes a kernel in which operations of several
/// turns stand side by side, with a prologue and an epilogue of plain operations around it. Order by address stays as
/// it was. A loop that cannot gain, or in which moving addresses might meet, stays as it is. For machines that begin
/// operations in program order.
OpList pipeline_loops(OpList list, const Architecture& architecture);

}  // namespace accord
