#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include <algorithm>

#include "simulator/modules/link.h"
#include "simulator/modules/request_cursor.h"
#include "simulator/modules/unit.h"

namespace accord::sim {

/// A DMA engine. An operation spends `setup` cycles, then presents its requests, one per cycle and at most `in_flight`
/// under way; the next operation's set-up overlaps with that. Bytes of a transfer move, over the socket, when their
/// request arrives; requests arrive in order.
class Mover final : public UnitModule {
 public:
  tlm_utils::multi_passthrough_initiator_socket<Mover> socket;  ///< bound to every memory, in the covenant's order

  /// `wires`: the link of each route; the last one serves capabilities that have no route.
  Mover(const sc_core::sc_module_name& name, RunState& run, int index, const std::vector<MemoryModule*>& memories,
        StallAccount account, std::vector<LinkModule*> wires);

  void begin(Operation& operation, Cycle at) override;
  Cycle free_at() const override { return setting_up_ ? unknown : next_start_; }

  bool uses(const LinkModule& link) const { return std::ranges::find(wires_, &link) != wires_.end(); }

  // The link's side.
  const LinkModule* stream_link() const { return streaming_ ? link_ : nullptr; }
  Cycle next_presentation() const { return next_; }
  void present();

  /// Moves bytes [first, last) of a transfer's walk.
  void move(const Operation& operation, std::int64_t first, std::int64_t last);

 private:
  void stream();
  void reserve_on_chip_ports();
  Cycle pass(const Request& request);
  Cycle repeat(const Request& request);
  void finish();
  void transport(tlm::tlm_command command, int memory, std::int64_t address, std::int64_t length);

  std::vector<LinkModule*> wires_;
  Operation* setting_up_ = nullptr;
  Operation* streaming_ = nullptr;
  LinkModule* link_ = nullptr;
  RequestCursor cursor_;
  Cycle setup_end_ = 0;
  Cycle first_ = 0;  ///< presentation of the stream's first request
  Cycle next_ = 0;   ///< of its next one
  Cycle next_start_ = 0;
  Cycle presented_ = -1;         ///< the last presentation
  Cycle arrived_ = 0;            ///< the last arrival
  Cycle ports_end_ = 0;          ///< of a capability's on-chip operands
  Cycle source_latency_ = 0;     ///< of a capability's on-chip sources
  std::vector<Cycle> arrivals_;  ///< of the last `in_flight` requests
  std::size_t oldest_ = 0;
  tlm::tlm_generic_payload payload_;
  std::vector<unsigned char> buffer_;
};

}  // namespace accord::sim
