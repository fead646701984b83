#pragma once

#include <systemc>
#include <vector>

#include "simulator/modules/run_state.h"
#include "simulator/modules/stall_account.h"
#include "simulator/modules/timeline.h"

namespace accord::sim {

class Mover;

/// A bus (accord::Link), or a route's private wire. Movers register; the link serves their requests in the order in
/// which they are presented, ties to the unit that stands earlier in the covenant.
///
/// It works ahead of SystemC's time by the shortest set-up among its movers: no request that it does not know yet can
/// be presented earlier than that.
class LinkModule : public sc_core::sc_module {
 public:
  LinkModule(const sc_core::sc_module_name& name, RunState& run, std::int64_t width, bool duplex, Cycle latency,
             StallAccount account);

  void attach(Mover& mover);  ///< in the covenant's order
  /// One of the movers has a request to present.
  void wake(Cycle at);

  /// Takes the link for `bytes` bytes.
  Timeline::Slot pass(bool write, std::int64_t bytes, Cycle earliest);
  Cycle latency() const { return latency_; }
  /// Bytes that passed.
  std::int64_t bytes() const { return bytes_; }
  /// Greatest number of bytes that could have passed in so many cycles.
  std::int64_t peak(Cycle cycles) const { return width_ * cycles * (duplex_ ? 2 : 1); }

  void settle(Cycle limit);
  StallAccount& account() { return account_; }

 private:
  void arbitrate();

  RunState& run_;
  std::int64_t width_;
  bool duplex_;
  Cycle latency_;
  StallAccount account_;
  std::vector<Mover*> movers_;
  Cycle lookahead_ = 1;
  Timeline lanes_[2];  ///< reads, writes; all in the first without `duplex`
  BusyCycles busy_;
  std::int64_t bytes_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim
