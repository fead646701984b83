#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/validation/bench.h"

namespace accord {

struct RunJob {
  std::filesystem::path machine;
  BenchRun run;
};

struct RunOutcome {
  std::vector<double> cycles;  ///< by figure
  std::string failure;         ///< why there are none
};

/// Runs every job on the simulator, in `workers` processes (a process simulates one program at a time). The outcome
/// does not depend on how many there are.
std::vector<RunOutcome> run_jobs(const std::vector<RunJob>& jobs, int workers);

}  // namespace accord
