#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include <algorithm>

#include "simulator/modules/link.h"
#include "simulator/modules/request_cursor.h"
#include "simulator/modules/unit.h"

namespace accord::sim {

/// A DMA engine. An operation spends `setup` cycles, then presents its requests, one per cycle and at most `in_flight`
/// under way; the next operation's set-up overlaps with that. Bytes of a transfer move, over the socket, when their
/// request arrives; requests arrive in order. Filled bytes are written before the transfer's others, a gather's list is
/// read before its first request, and each request waits for the word that holds its index.
class Mover final : public UnitModule {
 public:
  tlm_utils::multi_passthrough_initiator_socket<Mover> socket;  ///< bound to every memory, in the covenant's order

  /// `ways`: the links of each route, and last the one that serves capabilities.
  Mover(const sc_core::sc_module_name& name, RunState& run, int index, const std::vector<MemoryModule*>& memories,
        StallAccount account, std::vector<std::vector<LinkModule*>> ways);

  void begin(Operation& operation, Cycle at) override;
  Cycle free_at() const override { return setting_up_ ? unknown : next_start_; }

  /// True where some way begins with the link.
  bool uses(const LinkModule& link) const {
    return std::ranges::any_of(ways_, [&](const auto& way) { return way.front() == &link; });
  }
  Cycle setup() const { return setup_; }

  // The link's side.
  const LinkModule* stream_link() const { return streaming_ ? way_->front() : nullptr; }
  Cycle next_presentation() const { return next_; }
  void present();
  /// What comes next is no request but a gather's list, which is read when it is time, neither before nor after.
  bool reads_list() const { return reads_list_; }
  void read_list();

  /// Moves bytes [first, last) of a transfer's walk, or its filled bytes (Agenda::filled).
  void move(const Operation& operation, std::int64_t first, std::int64_t last);

 private:
  void stream();
  void reserve_on_chip_ports();
  void fill_ports();
  void fill(const Operation& operation);
  Cycle index_ready() const;
  Cycle pass(const Request& request);
  Cycle repeat(const Request& request);
  void finish();
  void transport(tlm::tlm_command command, int memory, std::int64_t address, unsigned char* data, std::int64_t length);

  Timeline::Slot cross(const Request& request, Cycle earliest, Cycle& latency);
  void store(const Request& request, std::int64_t address, std::int64_t words, Cycle from, Cycle& arrival);

  std::vector<std::vector<LinkModule*>> ways_;
  Cycle setup_;
  Cycle beat_;  ///< between two presentations
  Operation* setting_up_ = nullptr;
  Operation* streaming_ = nullptr;
  const std::vector<LinkModule*>* way_ = nullptr;
  const Route* route_ = nullptr;  ///< nullptr: a capability
  RequestCursor cursor_;
  bool reads_list_ = false;
  std::vector<Cycle> word_ready_;  ///< by word of a gather's list
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
  std::vector<std::byte> row_;
};

}  // namespace accord::sim
