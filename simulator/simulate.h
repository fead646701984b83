#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"
#include "archdsl/tensor/value.h"
#include "simulator/explanation.h"

namespace accord {

enum class Fidelity {
  function,     ///< values in an order that the program's dependences allow, in no time; no races, no overflows
  transaction,  ///< ports and links reserved for whole requests and operands
  cycle         ///< every word, beat and row by itself; small programs only
};

struct SimulateOptions {
  Fidelity fidelity = Fidelity::transaction;
  bool check_hazards = true;
  /// False: time without values, for who wants cycles only. Images and inputs are not loaded, operations compute and
  /// move nothing, there are no outputs, lists of a gather count as zeros, and no memory is reserved. Not with
  /// Fidelity::function or check_hazards.
  bool values = true;
  /// False: nothing found once is kept for the next time (decoded instructions of loops, operations' footprints and
  /// timing). The same result, later: a check of the simulator.
  bool shortcuts = true;
  std::filesystem::path trace;  ///< Chrome trace events; empty: none; an Error at Fidelity::function
  /// A run that is not over by this cycle ends with the hazard cycle_limit.
  std::int64_t most_cycles = std::numeric_limits<std::int64_t>::max();
  std::filesystem::path vcd;        ///< value changes; as `trace`
  std::filesystem::path stats;      ///< samples over time (CSV); as `trace`
  std::int64_t stats_interval = 0;  ///< cycles of a sample; 0: a power of two that gives at most 1024
  bool explain = false;             ///< records what every time follows from, for the critical path
  bool sensitivities = false;       ///< and predicts what changes of the machine would do
  /// Called when a layer is complete, with the values of its outputs (read from memory through their symbols).
  std::function<void(int layer, const Values& outputs)> on_layer;
  /// Called at most once, early in a run that will surely take long: it executes at least so many instructions.
  std::function<void(std::int64_t instructions)> on_long_run;
};

/// A thing that silicon would do wrong, silently.
struct Hazard {
  std::string kind;  ///< uninitialised_read, race, out_of_range, semaphore_overflow, unmatched_signal, deadlock,
                     ///< undefined_opcode, loop_overflow, cycle_limit, ambiguous_signal
  std::int64_t cycle = 0;
  std::int64_t instruction = -1;  ///< index
  std::string mnemonic;
  std::string layer;
  std::string statement;
  std::string where;  ///< FILE:LINE of the mnemonic in the covenant
  std::string message;
};

/// Cycles of one component by leaf of the stall tree; they sum to total_cycles. Leaves: docs/figures.md.
using StallLeaves = std::map<std::string, std::int64_t>;

struct LayerResult {
  std::int64_t cycles = 0;           ///< from the end of the layer before to this one's last operation
  std::int64_t overlap = 0;          ///< cycles before that in which it ran beside the layers before
  std::int64_t compute_overlap = 0;  ///< the same from its first instruction that computes
  /// Cycles of traffic that DRAM need not have passed when the layer ends: what its write queues hold then, and what
  /// they answered of what the layer read.
  std::int64_t queued = 0;
  std::map<std::string, std::int64_t> link_bytes;
  std::map<std::string, StallLeaves> stalls;  ///< by component; each sums to `cycles`
  std::int64_t lane_macs = 0;  ///< iteration points executed by multiply-accumulate capabilities, padding included
  double energy_pj = 0;        ///< in all: what its operations do, and static in its `cycles`
  std::map<std::string, double> energy_shares;  ///< by component, in pJ; those that have any; they sum to `energy_pj`
  std::int64_t off_chip_bytes = 0;              ///< read from and written to off-chip memories
};

struct SimulateResult {
  bool timed = true;  ///< false (Fidelity::function): all cycles are 0 and mean nothing, and there are no stalls
  std::int64_t total_cycles = 0;
  std::vector<LayerResult> layers;  ///< same index as Program::layers; host layers have 0 cycles
  std::map<std::string, std::int64_t> link_bytes;
  std::map<std::string, StallLeaves> stalls;
  double energy_pj = 0;         ///< in all
  double static_energy_pj = 0;  ///< of it, what components take whatever they do; 0 where time is not known
  std::map<std::string, double> energy_shares;
  std::int64_t off_chip_bytes = 0;
  Values outputs;  ///< symbols with role output
  std::vector<Hazard> hazards;
  bool cut_short = false;  ///< one of the hazards ended the run
  std::vector<std::string> broken_invariants;  ///< empty when all hold
  std::int64_t instructions = 0;               ///< executed
  std::optional<Explanation> explanation;      ///< where asked for
};

/// Runs the program on the SystemC model of the machine. `inputs` by symbol name, converted to no other type or shape.
/// Throws accord::Error on a program that does not fit the architecture (hash, memories, sizes), missing or wrong
/// inputs, and at Fidelity::cycle on a program with too much to do or a machine with DRAM parts. May be called any
/// number of times in one process, from one thread at a time.
SimulateResult simulate(const Architecture& architecture, const Program& program, const Values& inputs,
                        const SimulateOptions& options = {});

}  // namespace accord
