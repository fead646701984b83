#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/operation.h"
#include "simulator/kernels/program_map.h"
#include "simulator/simulate.h"

namespace accord::sim {

/// Collects hazards, each kind once per instruction, with their places in program and covenant.
class HazardLog {
 public:
  HazardLog(const Architecture& architecture, const ProgramMap& map) : architecture_(architecture), map_(map) {}

  /// `mnemonic` -1: none could be decoded.
  void report(std::string kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message);

  /// What ends the run, or why it did not end: kept however many others there are.
  void report_end(const std::string& kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message);
  /// The same where the run cannot go on.
  void end(const std::string& kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message) {
    report_end(kind, cycle, instruction, mnemonic, std::move(message));
    fatal = true;
  }

  /// Of the host's work for a layer: once per kind and layer.
  void report_host(std::string kind, Cycle cycle, int layer, const std::string& name, std::string message);

  /// "store at instruction 17 (mvout)".
  std::string describe(std::int64_t instruction, int mnemonic) const;

  /// Set where the run cannot go on.
  bool fatal = false;

  std::vector<Hazard> take() { return std::move(hazards_); }
  bool empty() const { return hazards_.empty(); }

 private:
  void add(std::string kind, Cycle cycle, std::int64_t instruction, int mnemonic, std::string message);

  const Architecture& architecture_;
  const ProgramMap& map_;
  std::vector<Hazard> hazards_;
  std::set<std::pair<std::string, std::int64_t>> known_;
};

}  // namespace accord::sim
