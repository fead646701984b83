#pragma once

#include <filesystem>
#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "archdsl/isa/program.h"
#include "simulator/simulate.h"

namespace accord {

/// What the user wants to see of a run beside its report. Empty paths: not written.
struct Recordings {
  std::filesystem::path trace;
  std::filesystem::path vcd;
  std::filesystem::path stats;
  std::int64_t stats_interval = 0;  ///< 0: chosen
  bool explain = false;
  std::filesystem::path critical_path;  ///< implies `explain`
  bool sensitivity = false;             ///< implies `explain`
};

/// Asks the simulator for them.
void request(const Recordings& recordings, SimulateOptions& options);

/// Every segment of the critical path, one a line. Says where a run that was to be explained was not. Throws Error where
/// the file cannot be written.
void write_critical_path(const Recordings& recordings, const Architecture& architecture, const Program& program,
                         const SimulateResult& result);

void print_explanation(const Explanation& explanation, std::int64_t total_cycles, std::ostream& out);
nlohmann::json to_json(const Explanation& explanation, std::int64_t total_cycles);

}  // namespace accord
