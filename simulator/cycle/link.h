#pragma once

#include <map>
#include <vector>

#include "simulator/cycle/schedule.h"
#include "simulator/modules/link.h"

namespace accord::sim::cycle {

/// One request's bytes on their way over one link.
struct Passage {
  Cycle presented = 0;  ///< the request
  int unit = -1;        ///< that presented it
  LinkModule::Way way;
  std::int64_t bytes = 0;      ///< in all
  std::int64_t available = 0;  ///< have reached the link
  std::int64_t passed = 0;
  bool last = false;                                ///< the link's end is the target: its FIFO counts
  std::function<void(std::int64_t passed)> arrive;  ///< so many of the bytes are at the link's end
};

/// A link (accord::Link) that moves one beat of at most `width` bytes per cycle and lane. A request that has begun
/// keeps its lane as long as its bytes are there; who comes next is the arbitration's choice among those that have a
/// beat ready.
class BeatLink {
 public:
  /// `number` among the machine's links, private wires included.
  BeatLink(RunState& run, Schedule& schedule, int number, const Link& spec);

  void enter(Passage& passage) { waiting_.push_back(&passage); }
  /// More of a passage's bytes are there, or its FIFO has room.
  void wake(Cycle at);
  /// Bytes have reached the target (they wait in the FIFO), or have left for it.
  void hold(const LinkModule::Way& way, std::int64_t bytes) { held(way) += bytes; }

  bool has_fifo() const { return spec_.fifo > 0; }
  Cycle latency() const { return spec_.period.cycles(spec_.latency); }
  std::int64_t bytes() const { return bytes_; }
  StallAccount& account() { return account_; }

 private:
  /// What takes one beat at a time: a direction, or a side of a crossbar.
  struct Lane {
    const Passage* current = nullptr;
    Cycle begun = 0;         ///< when the current request's beats began to follow each other
    std::int64_t beats = 0;  ///< since then
    Cycle next = 0;          ///< no beat begins before
  };
  void step();
  std::vector<Lane*> lanes_of(const Passage& passage);
  std::int64_t& held(const LinkModule::Way& way);
  bool ready(Passage& passage);
  bool free(const Passage& passage, Cycle at);
  Passage* choose(Cycle at);
  bool before(const Passage& a, const Passage& b);
  void pass(Passage& passage, Cycle at);

  RunState& run_;
  Schedule& schedule_;
  int number_;
  const Link spec_;
  StallAccount account_;
  std::vector<Passage*> waiting_;  ///< entered, not through
  std::map<int, Lane> lanes_;      ///< by direction; of a crossbar by source, and by target beyond them
  std::map<int, std::int64_t> held_;
  int served_ = -1;  ///< unit
  std::int64_t bytes_ = 0;
  Cycle woken_ = unknown;  ///< the step that is asked for
};

}  // namespace accord::sim::cycle
