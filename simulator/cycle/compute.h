#pragma once

#include <deque>

#include "simulator/cycle/word_streams.h"
#include "simulator/modules/unit.h"

namespace accord::sim::cycle {

/// A pipelined unit, row by row. An operation's interval is so many steps of its own clock, more where its words take
/// their ports longer; with each the words of one row enter, each bank's evenly spread over the steps, and `drain`
/// cycles after a step what it completed is written. A row whose words do not get their ports in time holds up those
/// behind it, which catch up where they have nothing to read, and not those that drain.
class StepCompute final : public UnitModule {
 public:
  StepCompute(const sc_core::sc_module_name& name, RunState& run, Schedule& schedule, const Ports& ports, int index);
  void begin(Operation& operation, Time at) override;
  Time free_at() const override { return Time(entered_ - start_); }

 private:
  struct Work {
    Operation* operation;
    std::vector<WordStream> streams;
    Cycle reading = 0;  ///< its first step, if nothing holds it up
    Cycle steps = 1;
    Cycle step = 0;
    Cycle read = 0;     ///< all that has entered so far was read by then
    Cycle drained = 0;  ///< steps whose results have been presented to their ports
    bool over = false;
    Cycle written = 0;  ///< what was written so far has its ports by then
  };
  void enter();
  void step();
  void end_reading();
  void write(Work& work, Cycle step);
  void end_draining();
  void postpone(Cycle until);

  Schedule& schedule_;
  const Ports& ports_;
  std::deque<std::unique_ptr<Work>> entering_;  ///< the first one's rows enter now
  std::deque<std::unique_ptr<Work>> draining_;
  Cycle entered_ = 0;  ///< when the last row of all that has begun will have entered, as far as is known
  Cycle start_ = 0;    ///< of the operation that began last
};

}  // namespace accord::sim::cycle
