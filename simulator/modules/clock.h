#pragma once

#include <systemc>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// SystemC's time in cycles: its resolution is one cycle.
inline Cycle now() { return static_cast<Cycle>(sc_core::sc_time_stamp().value()); }

inline sc_core::sc_time cycles(Cycle count) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(count)); }

/// Notifies at the given time, or now where it has passed. An earlier notification that is pending stays.
inline void notify_at(sc_core::sc_event& event, Cycle at) {
  const Cycle current = now();
  event.notify(at > current ? cycles(at - current) : sc_core::SC_ZERO_TIME);
}

}  // namespace accord::sim
