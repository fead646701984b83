#pragma once

#include <systemc>
#include <vector>

#include "simulator/modules/instruction_feed.h"
#include "simulator/modules/unit.h"

namespace accord::sim {

/// The controller of a machine whose units have queues (interlock, semaphores): dispatches in program order, ahead of
/// SystemC's time as far as queues and entries allow.
class Controller : public sc_core::sc_module {
 public:
  Controller(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front, Sequence& sequence,
             StallAccount account);

  void attach(UnitModule& unit);
  UnitModule& unit(int index) { return *units_[static_cast<std::size_t>(index)]; }

  // The units' side.
  void slot_freed(int unit);
  void operation_resolved(Operation& operation);

  bool finished() const { return feed_.finished(); }
  /// When the last issue slot ends.
  Time now() { return clock_.end(); }
  StallAccount& account() { return clock_.account(); }
  /// No event is left and the program is not over: says who waits for whom.
  void report_deadlock();

 private:
  enum class Wait { nothing, queue, entries, idle };

  void step();
  bool dispatch();
  bool dispatch_operation(UnitModule& unit);
  bool reserve_entry();
  void push(UnitModule& to, const UnitModule::Entry& entry);
  Time dispatched();
  void order_after_conflicts(Operation& operation);
  bool block(Wait wait);
  bool all_idle() const;
  Time last_done() const;
  Time take_entry();
  bool fence();
  std::vector<int> waits_for(int node) const;
  std::string describe(int node) const;
  std::string unit_name(int unit_index) const;

  RunState& run_;
  IssueClock clock_;
  InstructionFeed feed_;
  std::vector<UnitModule*> units_;
  EndedOperations ended_;
  std::vector<Operation*> outstanding_;  ///< interlock: dispatched, not done at the clock's time
  std::vector<Time> entries_left_;       ///< interlock: when entries that nothing took since became free
  int unused_entries_;
  bool placed_ = false;  ///< the instruction at hand has waited for its place in the queue
  std::int64_t next_id_ = 0;
  Wait wait_ = Wait::nothing;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim
