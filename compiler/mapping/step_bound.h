#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// Least cycles that a step's instructions take over these extents, whatever the tiling: their intervals on the unit,
/// or the controller's time to issue them.
std::int64_t step_bound(const Machine& machine, const StatementPlan& step, const std::vector<std::int64_t>& extents);

/// Least cycles that the main capability's instructions of this assignment take, whatever the tiling.
std::int64_t main_bound(const Machine& machine, const Mapping& mapping);

/// Least cycles that the busiest unit of this assignment takes for the instructions of its steps, whatever the tiling.
std::int64_t compute_bound(const Machine& machine, const Mapping& mapping);

}  // namespace accord
