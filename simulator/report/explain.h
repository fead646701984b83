#pragma once

#include "simulator/explanation.h"
#include "simulator/modules/run_state.h"

namespace accord::sim {

/// Explains a run whose dependence graph was recorded to its end; `total` as the run had it. A graph that does not say
/// the same is a broken invariant.
Explanation explain(const RunState& run, Cycle total, bool sensitivities, std::vector<std::string>& broken);

}  // namespace accord::sim
