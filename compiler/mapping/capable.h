#pragma once

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"

namespace accord {

/// Whether each statement of each operator of a numeric network, but for Casts, has a capability of the machine, of
/// those that set their target before they reduce one that sees all in one instruction, and no operator has more than
/// one intermediate result.
bool is_capable(const Architecture& architecture, const Network& numeric);

}  // namespace accord
