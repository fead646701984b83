#pragma once

#include "simulator/modules/machine.h"
#include "simulator/simulate.h"

namespace accord::sim {

/// Cycles, stalls, bytes, energy and invariants of a finished run; outputs, hazards and instructions are the caller's.
SimulateResult collect(RunState& run, Machine& machine, Cycle total);

/// What a run without time leaves: bytes, MACs and energy.
SimulateResult collect_values(const RunState& run);

}  // namespace accord::sim
