#pragma once

#include <systemc>
#include <vector>

#include "simulator/modules/issue_clock.h"
#include "simulator/modules/sequence.h"
#include "simulator/modules/unit.h"

namespace accord::sim {

/// The controller of an in-order machine. Since every operation starts after all before it have started, and stalls
/// while its ranges are in use, times follow one from another: the whole program is worked off in one go, ahead of
/// SystemC's time, and values in program order are the machine's.
class InOrderController : public sc_core::sc_module {
 public:
  InOrderController(const sc_core::sc_module_name& name, RunState& run, FrontEnd& front, Sequence& sequence,
                    StallAccount account);

  void attach(UnitModule& unit) { units_.push_back(&unit); }
  bool finished() const { return finished_; }
  /// When the last issue slot ends.
  Time now() { return clock_.end(); }
  StallAccount& account() { return clock_.account(); }

 private:
  /// A range that an unfinished operation touches.
  struct Use {
    int memory;
    int unit;
    bool writes;
    std::int64_t low, high;
    Time done;
  };

  void step();
  bool execute(const Decoded& decoded);
  void fence();
  /// When the operation's ranges are free, from `at` on; `unit` is then the one that used them last.
  Time ranges_free(const Operation& operation, Time at, int& unit);
  void use_ranges(const Operation& operation);

  RunState& run_;
  FrontEnd& front_;
  Sequence& sequence_;
  IssueClock clock_;
  std::vector<UnitModule*> units_;
  std::vector<Use> uses_;
  Operation operation_;
  std::int64_t executed_ = 0;
  bool finished_ = false;
};

}  // namespace accord::sim
