#include "simulator/cycle/schedule.h"

#include <algorithm>

#include "simulator/modules/clock.h"

namespace accord::sim::cycle {

Schedule::Schedule(const sc_core::sc_module_name& name, RunState& run) : sc_module(name), run_(run) {
  SC_HAS_PROCESS(Schedule);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void Schedule::at(Cycle time, Action action) {
  const Cycle when = std::max(time, now());
  items_.push({when, order_++, std::move(action)});
  if (items_.top().order == order_ - 1) notify_at(wake_, when);
}

void Schedule::step() try {
  run_.settled = now();
  while (!items_.empty() && items_.top().time <= now() && !run_.hazards.fatal) {
    const Action action = std::move(const_cast<Item&>(items_.top()).action);  // the order does not depend on it
    items_.pop();
    action();
  }
  if (!items_.empty() && !run_.hazards.fatal) notify_at(wake_, items_.top().time);
} catch (...) {
  run_.fail();
}

}  // namespace accord::sim::cycle
