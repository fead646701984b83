#pragma once

#include <functional>
#include <queue>
#include <systemc>
#include <vector>

#include "simulator/modules/run_state.h"

namespace accord::sim::cycle {

/// What happens in which cycle: every word, beat and row is an action of its own. Actions of one cycle run in the order
/// in which they were asked for.
class Schedule : public sc_core::sc_module {
 public:
  using Action = std::function<void()>;

  Schedule(const sc_core::sc_module_name& name, RunState& run);

  /// In this cycle, where `time` has passed.
  void at(Cycle time, Action action);

 private:
  struct Item {
    Cycle time;
    std::int64_t order;
    Action action;
  };
  struct Later {
    bool operator()(const Item& a, const Item& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  void step();

  RunState& run_;
  std::priority_queue<Item, std::vector<Item>, Later> items_;
  std::int64_t order_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim::cycle
