#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"
#include "cli/memory_use.h"
#include "simulator/simulate.h"

namespace accord {

/// One layer of a run: what the compiler says of it and what the simulator measured.
struct LayerReport {
  std::string name;
  std::string op;
  std::string placed_on;  ///< unit, or "host"
  std::string capability;
  std::string reason;  ///< why on the host
  std::int64_t cycles = 0;
  std::int64_t overlap_cycles = 0;  ///< in which it ran beside the layers before
  std::int64_t bound_cycles = 0;    ///< of the layer alone, less the overlap
  std::int64_t macs = 0;
  std::int64_t lane_macs = 0;
  double energy_pj = 0;
  std::map<std::string, double> energy_shares;  ///< by component, in pJ
  std::map<std::string, std::int64_t> link_bytes;
  std::int64_t off_chip_bytes = 0;  ///< read from and written to off-chip memories
  std::int64_t host_bytes = 0;      ///< of tensors that the host reads and writes for it
  std::string fusion;               ///< of a chain's first layer: how it runs, and what was weighed
  StallLeaves stalls;               ///< of the unit it is placed on; they sum to `cycles`
  std::optional<bool> verified;     ///< absent where no reference ran
  std::int64_t mismatches = 0;
  std::string verdict;  ///< why it is not verified

  /// bound_cycles / cycles; 0 on the host.
  double efficiency() const;
  /// MACs / (cycles * lanes).
  double utilisation(double lanes) const;
};

/// How the network's output stands against an output of another origin.
struct OutputDistance {
  std::string name;
  std::string against;          ///< "fp32 reference", or the file given
  double snr_db = 0;            ///< signal-to-noise ratio
  double relative_error = 0;    ///< max |difference| / max |reference|
  std::int64_t not_finite = 0;  ///< elements that are infinite or no number where the other's are finite
};

/// The result of `accord run` and `accord sim`; the JSON of design 9.
struct RunReport {
  std::string arch;
  std::string model;
  double clock_hz = 0;
  double lanes = 0;    ///< multiply-accumulates per cycle at most
  bool timed = true;   ///< false: values only; no cycle figure is known
  bool values = true;  ///< false: time only; hazards were not looked for
  std::int64_t total_cycles = 0;
  std::int64_t bound_cycles = 0;  ///< of all layers; 0 where a hazard ended the run
  std::int64_t instructions = 0;
  std::optional<bool> verified;
  std::int64_t mismatches = 0;
  double tolerance = 0;  ///< of max|reference|; 0: bit-exact
  double energy_pj = 0;
  double static_energy_pj = 0;  ///< of it
  std::map<std::string, double> energy_shares;
  std::map<std::string, double> areas;  ///< by component, in um^2; those that the covenant states
  double compile_s = 0;
  double simulate_s = 0;
  double reference_s = 0;
  double total_s = 0;
  std::int64_t binary_bytes = 0;
  std::vector<std::string> broken_invariants;
  std::vector<Hazard> hazards;
  std::vector<LayerReport> layers;
  std::map<std::string, std::int64_t> link_bytes;
  std::int64_t off_chip_bytes = 0;
  std::int64_t host_bytes = 0;
  std::map<std::string, StallLeaves> stalls;  ///< by component; each sums to total_cycles
  std::vector<MemoryUse> memory;
  std::vector<OutputDistance> distances;
  std::vector<std::string> warnings;
  std::optional<Explanation> explanation;

  /// Nothing that silicon or the reference would object to, and nothing that left the machine's numbers.
  bool right() const;
};

/// Greatest number of multiply-accumulates that the machine starts per cycle: for the widest multiply-accumulate
/// capability of a compute unit, points at full extents over its interval, times the units that reach them.
double multiply_lanes(const Architecture& architecture);

/// Fills what program and simulation say; verification and wall times are the caller's.
RunReport make_report(const Architecture& architecture, const Program& program, const SimulateResult& result);

void print_memory(const std::vector<MemoryUse>& uses, std::ostream& out);
nlohmann::json to_json(const MemoryUse& use);

void print_distance(const OutputDistance& distance, std::ostream& out);
nlohmann::json to_json(const OutputDistance& distance);

void print_report(const RunReport& report, std::ostream& out);
nlohmann::json to_json(const RunReport& report);

}  // namespace accord
