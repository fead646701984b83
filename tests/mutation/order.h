#pragma once

#include <optional>
#include <string>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord::test {

/// Two accesses to the same bytes by different units, one of them a write, that may happen in either order on some
/// timing of the machine; nothing where there is none: the proof that the program's sync suffices.
///
/// Shares no reasoning with the simulator's race detector: all pairs of operations are compared, byte by byte, and
/// which signal a wait must have seen follows from counting. Between two fences the k-th wait of a unit on a semaphore
/// has seen the j-th signal of unit A if the other units' signals that may come before that wait, those left over from
/// before the fence, and A's first j - 1 are fewer than k. What this orders takes further signals out of those that may
/// come before; repeated until nothing more follows. Under interlock the machine orders what meets on chip, and
/// what follows from that; off-chip memories are compared. In order there is nothing to find. The program must be one
/// that runs to its end.
std::optional<std::string> unordered_pair(const Architecture& architecture, const Program& program);

}  // namespace accord::test
