#pragma once

#include <map>
#include <systemc>
#include <vector>

#include "simulator/modules/busy_account.h"
#include "simulator/modules/run_state.h"
#include "simulator/time/dependence_graph.h"

namespace accord::sim {

class Mover;

/// A link (accord::Link), or a route's private wire. Movers whose routes begin with it register; it serves their
/// requests in the order of its arbitration.
///
/// It works ahead of SystemC's time by the shortest set-up among its movers, 64 cycles at most: no request that it does
/// not know yet can be presented earlier than that.
class LinkModule : public sc_core::sc_module {
 public:
  /// `number` among the machine's links, private wires included.
  LinkModule(const sc_core::sc_module_name& name, RunState& run, int number, const Link& spec,
             const StallAccount& account);

  void attach(Mover& mover);  ///< in the covenant's order; again changes nothing
  /// One of the movers has a request to present.
  void wake(Cycle at);

  /// What competes: the direction, and in a crossbar the memories at both ends.
  struct Way {
    bool backward = false;
    int source = -1;
    int target = -1;
    /// Of a link without `crossbar`: one for each direction with `duplex`.
    int lane(const Link& link) const { return link.duplex && backward ? 1 : 0; }
    /// What counts the bytes that wait for a busy target.
    int fifo(const Link& link) const { return link.crossbar ? target : lane(link); }
  };
  /// Takes the link for `bytes` bytes.
  TimeSlot pass(const Way& way, std::int64_t bytes, Time earliest);
  /// The last of `bytes` bytes that passed in `slot` is written at `written`: the link stands still where its FIFO
  /// cannot hold what waits for the target.
  void hold(const Way& way, std::int64_t bytes, const TimeSlot& slot, Time written);
  Delay latency() const { return {Cause::link_latency, number_, latency_}; }
  /// Bytes that passed.
  std::int64_t bytes() const { return bytes_; }
  BusyAccount& account() { return account_; }

 private:
  void arbitrate();
  Mover* choose() const;
  bool before(const Mover& a, const Mover& b) const;
  /// Whether the mover's next request finds others' beats on what it needs of the link.
  bool waits(const Mover& mover) const;
  /// Whether requests of the two need the same of the link.
  bool compete(const Way& a, const Way& b) const;
  Delay beats(std::int64_t bytes) const;
  /// A request's bytes in the FIFO, which their target takes from `from` to `out`.
  struct Waiting {
    int target = -1;
    Cycle entered = 0;
    Cycle from = 0;
    Time out;
    std::int64_t bytes = 0;
  };
  /// When so many bytes of those that wait are out, the oldest first.
  Time out(const std::vector<Waiting>& waiting, std::int64_t bytes) const;
  Timeline& lane(const Way& way) { return lanes_[way.lane(spec_)]; }

  RunState& run_;
  int number_;
  const Link spec_;
  Cycle latency_;
  bool on_reference_clock_;
  int width_shift_;  ///< log2 of the width where that is an integer, else -1
  BusyAccount account_;
  std::vector<Mover*> movers_;
  Cycle lookahead_ = 1;
  Timeline lanes_[2];                            ///< by Way::lane
  std::map<int, Timeline> inputs_, outputs_;     ///< of a crossbar, by memory
  std::map<int, std::vector<Waiting>> waiting_;  ///< by Way::fifo
  std::size_t served_ = 0;                       ///< mover served last
  std::int64_t bytes_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace accord::sim
