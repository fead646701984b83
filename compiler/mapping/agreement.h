#pragma once

#include <string>
#include <vector>

#include "compiler/mapping/match.h"

namespace accord {

/// Why the capability's instructions would not touch the elements that the statement means, if its dims count these
/// chains over so much of each iterator; empty: they would. Asks the access functions themselves, point by point over
/// the first values of each dim: what reaches one place of the capability's operand must be one element of the work's,
/// and a place that is written must be one element's alone. Dims move together with the innermost iterator of each
/// chain; the outer ones, which may turn out to be loops around the instruction, move alone.
std::string disagreement(const Work& work, const Capability& capability, const Match& match,
                         const std::vector<std::vector<int>>& chains, const std::vector<std::int64_t>& extent);

}  // namespace accord
