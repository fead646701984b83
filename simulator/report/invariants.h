#pragma once

#include <string>
#include <vector>

#include "simulator/modules/machine.h"
#include "simulator/simulate.h"

namespace accord::sim {

/// What must hold of every run that came to its end (docs/figures.md); one sentence for each that does not.
std::vector<std::string> broken_invariants(const RunState& run, const Machine& machine, const SimulateResult& result);

}  // namespace accord::sim
