#pragma once

#include <optional>

#include "archdsl/graph/architecture.h"
#include "compiler/mapping/limits.h"
#include "compiler/mapping/match.h"

namespace accord {

/// The capability of the same unit with which sums may begin: it sets its target to a number, then does what the given
/// one does (`c = 0; c += a * b` beside `c += a * b`), for the same operands, and its instructions can be all that the
/// other's can. -1: there is none.
int opening_capability(const Architecture& architecture, const Limits& limits, int unit, int capability);

/// Whether the number is what the work's sums begin with, up to the least that their type has.
bool begins_with(const Work& work, const Statement& start, double number);

/// What a capability sets its target to before its last statement reduces; nothing where it sets none.
std::optional<double> initial_value(const Capability& capability);

}  // namespace accord
