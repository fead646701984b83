#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include <algorithm>

#include "simulator/kernels/walk_cursor.h"
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
  tlm_utils::multi_passthrough_initiator_socket<Mover, 32, tlm::tlm_base_protocol_types, 0,
                                                sc_core::SC_ZERO_OR_MORE_BOUND>
      socket;  ///< to the memories at the ends of its routes

  /// `ways`: the links of each route, and last the one that serves capabilities.
  Mover(const sc_core::sc_module_name& name, RunState& run, int index, std::span<MemoryModule* const> memories,
        StallAccount account, std::vector<std::vector<LinkModule*>> ways);

  void begin(Operation& operation, Time at) override;
  Time free_at() const override { return setting_up_ ? not_known : next_start_; }

  Cycle setup() const { return setup_; }

  // The link's side.
  const LinkModule* stream_link() const { return streaming_ ? way_->front() : nullptr; }
  Cycle next_presentation() const { return next_; }
  /// When that request's first beat can be at the link.
  Cycle next_beat() const;
  /// What its beats compete for there.
  const LinkModule::Way& next_way() const { return competes_.front(); }
  void present();
  /// What comes next is no request but a gather's list, which is read when it is time, neither before nor after.
  bool reads_list() const { return reads_list_; }
  void read_list();

  /// Moves bytes [first, last) of a transfer's walk, or its filled bytes (Agenda::filled).
  void move(const Operation& operation, std::int64_t first, std::int64_t last);

 private:
  void start_of_simulation() override;
  std::byte* direct(int memory) const;
  void stream();
  void reserve_on_chip_ports();
  void fill_ports();
  void fill(const Operation& operation);
  Cycle beat();
  Time take_place(Time from, Cycle after = 0) const;
  Time index_ready() const;
  Time pipelined() const;
  Time after_source(Time time) const;
  Time pass(const Request& request);
  Time repeat(const Request& request);
  void finish();
  void find_targets(const Operation& operation);
  void write(std::int64_t address, const std::byte* from, std::int64_t length);

  /// What a request's bytes have passed once they left the last link of the way.
  struct Passage {
    TimeSlot beats;    ///< on the last link
    Time first_there;  ///< the first beat at the end of the way
    Time last_there;   ///< the last one
  };
  void compete(const RequestPattern& pattern);
  Passage cross(std::int64_t bytes, Time first, Time last);
  void store(const Request& request, std::int64_t address, std::int64_t words, Time from, Time& arrival);

  std::vector<std::vector<LinkModule*>> ways_;
  Cycle setup_;
  std::int64_t beats_ = 0;  ///< of its own clock, since it last presented without having waited for one
  Operation* setting_up_ = nullptr;
  Operation* streaming_ = nullptr;
  const std::vector<LinkModule*>* way_ = nullptr;
  const Route* route_ = nullptr;             ///< nullptr: a capability
  const Route* capability_route_;            ///< whose way serves capabilities; nullptr: another link
  const RequestPattern* pattern_ = nullptr;  ///< of the streaming operation, to which the next request belongs,
  std::vector<LinkModule::Way> competes_;    ///< and what its requests compete for on each link of the way
  RequestCursor cursor_;
  WalkCursor walk_;  ///< of a transfer, where the next request begins
  bool reads_list_ = false;
  std::vector<Time> word_ready_;  ///< by word of a gather's list
  Time setup_end_;
  Time first_;  ///< presentation of the stream's first request
  Time next_;   ///< of its next one
  Time next_start_;
  Time after_last_;                   ///< one cycle past the last presentation
  Time arrived_;                      ///< the last arrival
  Time ports_end_;                    ///< of a capability's on-chip operands
  std::vector<int> on_chip_sources_;  ///< memories that a capability reads
  std::vector<Time> arrivals_;        ///< of the last `in_flight` requests
  std::size_t oldest_ = 0;
  struct Target {
    std::byte* bytes;
    ByteStore* store;
  };
  std::vector<int> reached_;        ///< memories at the ends of its routes, ascending
  std::vector<std::byte*> direct_;  ///< of each of these
  std::vector<Target> targets_;     ///< scratch
  std::vector<std::byte> row_;
};

}  // namespace accord::sim
