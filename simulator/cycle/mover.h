#pragma once

#include <deque>
#include <optional>

#include "simulator/cycle/flight.h"
#include "simulator/modules/unit.h"

namespace accord::sim::cycle {

/// A DMA engine, word by word and beat by beat: a request's words are read at its source, pass the links of its way in
/// beats as they come, and are written at its target as soon as all their bytes are there. What the mover holds already
/// (repeated and filled bytes) is written once everything before has arrived.
class BeatMover final : public UnitModule {
 public:
  using Way = std::vector<BeatLink*>;

  /// `ways`: the links of each route, and last the one that serves capabilities.
  BeatMover(const sc_core::sc_module_name& name, RunState& run, Schedule& schedule, const Ports& ports, int index,
            std::vector<Way> ways);

  void begin(Operation& operation, Time at) override;
  Time free_at() const override { return Time(setting_up_ ? unknown : next_start_); }

 private:
  /// An operation whose requests are presented or under way.
  struct Stream {
    Operation* operation;
    Cycle first = 0;         ///< presentation of its first request
    bool flown = false;      ///< all its requests have arrived
    std::size_t sweeps = 0;  ///< on-chip operands of a capability that still take their ports
    Cycle swept = 0;
  };

  void stream();
  void begin_stream();
  void begin_sweeps(Stream& stream);
  void begin_fill(Stream& stream);
  void read_list();
  Cycle index_ready() const;
  void arm();
  void present();
  void end_presenting();
  void launch(Flight& flight);
  void feed(Flight& flight, std::size_t hop, std::int64_t available);
  void deliver(Flight& flight, std::int64_t passed);
  void write_held(Flight& flight);
  void land(Flight& flight);
  void retire();
  void retire_first();
  bool is_next(const Flight& flight) const;
  bool end_stream();
  void account(Leaves::Fixed leaf, Cycle until) { account_.spend(leaf, until); }

  Schedule& schedule_;
  const Ports& ports_;
  std::vector<Way> ways_;
  Cycle setup_;
  Operation* setting_up_ = nullptr;
  Cycle setup_end_ = 0;
  Operation* streaming_ = nullptr;
  const Way* way_ = nullptr;
  const Route* route_ = nullptr;  ///< nullptr: a capability
  RequestCursor cursor_;
  Pace pace_;  ///< of presentations
  Cycle next_start_ = 0;
  Cycle earliest_ = 0;             ///< no request is presented before
  Cycle after_last_ = 0;           ///< the next operation presents nothing before
  Cycle arrived_ = 0;              ///< the last arrival
  bool armed_ = false;             ///< a presentation is asked for
  std::vector<Cycle> word_ready_;  ///< by word of a gather's list
  Cycle source_latency_ = 0;       ///< of a capability's on-chip sources
  std::vector<Cycle> slots_;       ///< arrivals of the last `in_flight` requests
  std::size_t slot_ = 0;           ///< the oldest
  std::deque<Stream> streams_;
  std::deque<Flight> flights_;  ///< not arrived, in the order of presentation
};

}  // namespace accord::sim::cycle
