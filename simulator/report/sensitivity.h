#pragma once

#include <string>
#include <vector>

#include "simulator/explanation.h"
#include "simulator/modules/run_state.h"

namespace accord::sim {

std::string component_name(const RunState& run, Cause cause, int component);
std::string resource_name(Cause cause);

/// Total cycles under each change of one resource that the recorded run used, of an array in all elements that used it:
/// the graph is scheduled anew. The greatest gain first. `times`: of the run as it was.
std::vector<Explanation::Sensitivity> predict(const RunState& run, std::vector<Cycle> times);

}  // namespace accord::sim
