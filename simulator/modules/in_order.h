#pragma once

#include <systemc>
#include <vector>

#include "simulator/modules/instruction_feed.h"
#include "simulator/modules/unit.h"

namespace accord::sim {

/// The controller of an in-order machine: an operation starts after all before it have started, and the next one is
/// issued when it has. Where a unit says at once when an operation ends (fidelity transaction), times follow one from
/// another: the whole program is worked off in one go, ahead of SystemC's time, and values in program order are the
/// machine's.
class InOrderController : public sc_core::sc_module {
 public:
  InOrderController(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front, Sequence& sequence,
                    StallAccount account);

  void attach(UnitModule& unit) {
    unit.in_order = this;
    units_.push_back(&unit);
  }
  /// Something that an operation may wait for has become known.
  void wake(Cycle at) { notify_at(wake_, at); }
  bool finished() const { return feed_.finished(); }
  Time now() const { return clock_.end(); }
  StallAccount& account() { return clock_.account(); }

 private:
  void step();
  bool execute();
  bool bind();
  bool start();
  bool fence();
  bool block(int leaf);
  /// From issue to start.
  Delay latency() const { return {Cause::dispatch, 0, run_.issue_latency()}; }
  /// When the operation's ranges are free, from `at` on; `unit` is then the one that used them last. Unknown where an
  /// operation that uses them has no end yet.
  Time ranges_free(const Operation& operation, Time at, int& unit);
  static bool holds_up(const Operation& operation, const Operation& earlier);

  RunState& run_;
  IssueClock clock_;
  InstructionFeed feed_;
  std::vector<UnitModule*> units_;
  EndedOperations ended_;
  std::vector<Operation*> unfinished_;  ///< started, not known to be done at the clock's time
  Operation* operation_ = nullptr;      ///< bound, not started
  std::int64_t next_id_ = 0;
  bool blocked_ = false;
  int wait_leaf_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim
