#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/validation/bench.h"

namespace accord {

/// A row of a table that is to be run on a machine.
struct RunJob {
  std::filesystem::path machine;
  BenchRun run;
  std::string where;    ///< FILE:LINE of the row
  std::string refusal;  ///< why the bench has no program for the row, which is then not run
};

enum class Ending {
  compared,
  refused,  ///< the bench or its machine does not take the row: a value out of range, a layer that does not fit
  failed,   ///< the row's program has a hazard, breaks an invariant or does not end
};

struct RunOutcome {
  Ending ending = Ending::compared;
  std::vector<double> values;  ///< by figure, where compared
  std::string reason;          ///< where not
};

/// Runs every job on the simulator, in `workers` processes (a process simulates one program at a time). The outcome
/// does not depend on how many there are.
std::vector<RunOutcome> run_jobs(const std::vector<RunJob>& jobs, int workers);

}  // namespace accord
