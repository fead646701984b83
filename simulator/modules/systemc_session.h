#pragma once

#include <memory>
#include <systemc>

#include "simulator/modules/clock.h"

namespace accord::sim {

/// A fresh SystemC context for one run: SystemC itself allows one elaboration per process (E529). One cycle is
/// SystemC's time resolution. Warnings and errors of SystemC are thrown as accord::Error by `run`.
class SystemcSession {
 public:
  SystemcSession();
  ~SystemcSession();
  SystemcSession(const SystemcSession&) = delete;
  SystemcSession& operator=(const SystemcSession&) = delete;

  /// Runs until no event is left, or until this cycle is over. False where events are left.
  bool run(Cycle most_cycles);

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace accord::sim
