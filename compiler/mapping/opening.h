#pragma once

#include <optional>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/mapping/limits.h"
#include "compiler/mapping/match.h"
#include "compiler/mapping/plan.h"

namespace accord {

struct Machine;

/// The capabilities of the same unit with which sums may begin: each sets its target to a number, then does what the
/// given one does (`c = 0; c += a * b` beside `c += a * b`), for the same operands, and counts as much of each dim.
std::vector<int> opening_capabilities(const Architecture& architecture, const Limits& limits, int unit, int capability);

/// The capability that does the first instruction of each of the step's sums; -1: none does.
int opening_of(const Machine& machine, const StatementPlan& step);

/// That, as the step's match has it; the step's own where none does.
Match beginning_match(const Machine& machine, const StatementPlan& step);

/// Whether it does that as quickly as the step's own capability, for as much of the work as one instruction counts, and
/// its instructions reach as far.
bool opens_as_well(const Machine& machine, const Work& work, const StatementPlan& step);

/// Whether the number is what the work's sums begin with, up to the least that their type has.
bool begins_with(const Work& work, const Statement& start, double number);

/// What a capability sets its target to before its last statement reduces; nothing where it sets none.
std::optional<double> initial_value(const Capability& capability);

}  // namespace accord
