#pragma once

#include "simulator/modules/issue_clock.h"
#include "simulator/modules/sequence.h"

namespace accord::sim {

/// A controller's instructions, one at a time, through all stages of the program; what the front end executes by itself
/// on the way to one is issued on the controller's clock.
class InstructionFeed {
 public:
  InstructionFeed(RunState& run, FrontEnd& front, Sequence& sequence, IssueClock& clock)
      : run_(run), front_(front), sequence_(sequence), clock_(clock) {
    front_.time = [this] { return clock_.at(front_.executed() - executed_); };
    front_.layer_over = [this](int layer) { run_.layers.all_dispatched(layer, clock_.at()); };
  }

  /// Whether there is an instruction, fetched now unless it waits already. A stage is left once `fence()` is true;
  /// where it is not, the next call goes on.
  template <class Fence>
  bool fetch(Fence&& fence) {
    if (!started_) {
      started_ = true;
      finished_ = !sequence_.begin(0);
    }
    while (!instruction_ && !finished_) {
      instruction_ = front_.next();
      const std::int64_t fetched = front_.executed() - executed_;
      executed_ += fetched;
      clock_.issue(instruction_ ? fetched - 1 : fetched);  // the instruction itself issues when its unit takes it
      if (instruction_) return true;
      if (run_.hazards.fatal || !fence()) return false;
      finished_ = !sequence_.next_stage(clock_.at());
    }
    return instruction_ != nullptr;
  }
  void pop() { instruction_ = nullptr; }

  /// The one that waits; null: none.
  const Decoded* instruction() const { return instruction_; }
  std::span<const std::int64_t> arguments() const { return front_.arguments(); }
  /// The program is over.
  bool finished() const { return finished_; }

 private:
  RunState& run_;
  FrontEnd& front_;
  Sequence& sequence_;
  IssueClock& clock_;
  const Decoded* instruction_ = nullptr;
  std::int64_t executed_ = 0;
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace accord::sim
