#pragma once

#include <filesystem>
#include <optional>

#include "simulator/modules/run_state.h"
#include "simulator/trace/chrome_trace.h"
#include "simulator/trace/samples.h"
#include "simulator/trace/value_changes.h"

namespace accord::sim {

/// Listens to a run and writes the files that are asked for.
class RunRecorder {
 public:
  struct Files {
    std::filesystem::path trace, vcd, stats;  ///< empty: not written
    std::int64_t stats_interval = 0;
  };
  /// Before the machine is elaborated; must outlive its run.
  RunRecorder(RunState& run, Files files);

  /// Throws Error where a file cannot be written.
  void write(Cycle total);

 private:
  void write_trace(Cycle total);

  const RunState& run_;
  Files files_;
  RunNames names_;
  std::optional<Samples> samples_;
  std::optional<ValueChanges> changes_;
  std::optional<ChromeTrace> trace_;
  RunListeners listeners_;
};

}  // namespace accord::sim
