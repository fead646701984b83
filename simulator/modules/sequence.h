#pragma once

#include "simulator/modules/front_end.h"
#include "simulator/modules/host.h"
#include "simulator/modules/run_state.h"

namespace accord::sim {

/// The stages of a program, one after another: instructions come from the front end, host stages are done in between.
class Sequence {
 public:
  Sequence(RunState& run, FrontEnd& front, Host& host);

  /// Enters the first stage that has instructions, after the host's work before it. False: the program is over.
  bool begin(Cycle now) { return go_on(now); }
  /// All of the current stage is done at `now`.
  bool next_stage(Cycle now) {
    ++stage_;
    return go_on(now);
  }

 private:
  bool go_on(Cycle now);
  void execute(const Stage& stage, Cycle now);
  RunState& run_;
  FrontEnd& front_;
  Host& host_;
  std::size_t stage_ = 0;
};

}  // namespace accord::sim
