#pragma once

#include <exception>
#include <limits>

#include "simulator/kernels/binder.h"
#include "simulator/kernels/evaluator.h"
#include "simulator/modules/agenda.h"
#include "simulator/modules/front_end.h"
#include "simulator/modules/hazard_log.h"
#include "simulator/modules/layers.h"
#include "simulator/modules/operation_pool.h"
#include "simulator/modules/race_detector.h"
#include "simulator/modules/semaphores.h"
#include "simulator/modules/stall_account.h"
#include "simulator/time/dependence_graph.h"

namespace accord::sim {

/// What the modules of one run share.
struct RunState {
  const Architecture& architecture;
  const Program& program;
  const ProgramMap& map;
  Binder& binder;
  Evaluator& evaluator;
  HazardLog& hazards;
  Layers& layers;
  const Leaves& leaves;
  const std::vector<ComponentCost>& components;
  RaceDetector* races = nullptr;    ///< nullptr: not checked
  RunListener* listener = nullptr;  ///< nullptr: nobody
  OperationPool pool{};
  Agenda agenda{};
  DependenceGraph graph{};
  Cycle most_cycles = std::numeric_limits<Cycle>::max();
  std::vector<std::string> wires{};  ///< names of the private wires, which follow the covenant's links
  Cycle settled = 0;                 ///< everything before this time is decided
  bool in_order = false;
  bool ahead = false;  ///< in order, and every end known when it begins: time runs ahead of SystemC's
  bool timed = true;   ///< false: Fidelity::function
  bool checks_hazards = true;
  bool values = true;            ///< false: only time passes; memories stay as they are
  std::exception_ptr failure{};  ///< thrown inside a process, which SystemC must not see

  /// A layer's outputs are complete.
  std::function<void(int layer)> end_layer{};

  /// Inside a handler: keeps the exception for later and ends the run.
  void fail() {
    failure = std::current_exception();
    hazards.fatal = true;
  }

  /// Cycles from an instruction's issue to its unit's queue.
  Cycle issue_latency() const { return timed ? architecture.controller.latency : 0; }

  /// Reports that the run takes longer than `most_cycles`, and ends it.
  void out_of_time(Cycle now, std::int64_t instruction, int mnemonic);

  /// Puts an instruction's arguments into `operation`; reports out_of_range (or cycle_limit, of one that cannot end in
  /// time) and makes it fatal otherwise.
  bool bind(const Decoded& decoded, std::span<const std::int64_t> arguments, Cycle now, Operation& operation);

  /// Reports a semaphore that has been above its maximum by `now`. Without time any giver may run ahead of its takers.
  void report_overflow(const Semaphores& semaphores, int semaphore, Cycle now) const;

  /// Reads a gather's list as it is now; an index beyond the table is an out_of_range and fatal.
  bool read_list(Operation& operation, Cycle now);
};

}  // namespace accord::sim
