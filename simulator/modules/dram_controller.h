#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/modules/dram_channel.h"

namespace accord::sim {

/// What stands before a DRAM channel. Reads go there as they are presented. Writes are posted: they are done once they
/// have one of `Dram::write_queue` places. `Dram::write_batch` of them go to the channel in one go
///  - when so many places are taken as `Dram::write_high` says;
///  - where `Dram::write_low` are taken and the channel has nothing to read until the next access comes.
/// The oldest goes first, but before its row closes another one all that waits for that. A read of what waits gets it
/// from the queue, a write joins it.
///
/// The policy is that of gem5's MemCtrl (github.com/gem5/gem5, src/mem/mem_ctrl.cc), decided when accesses are
/// presented. All times are in clocks of the part.
class DramController {
 public:
  using Clock = DramChannel::Clock;

  explicit DramController(const Dram& part) : channel_(part) {}

  /// The clock of the column command of a read that is presented at `earliest`, or `earliest` where the queue answers.
  Clock read(std::int64_t burst, Clock earliest);
  /// The clock at which a place is free.
  Clock write(std::int64_t burst, Clock earliest);

  /// Places what the channel would begin before `clock` if nothing else came until then.
  void settle(Clock clock);
  /// Places all that waits, from `clock` on.
  void drain(Clock clock);
  /// When the last burst that has been placed leaves the data bus free; 0 before any.
  Clock end() const { return channel_.last() == 0 ? 0 : channel_.last() + part().burst_cycles; }

  /// Calls take(clock) for the column command of every burst that went to the channel since the last call.
  template <class Take>
  void take_served(Take&& take) {
    for (const Clock at : served_) take(at);
    served_.clear();
  }

 private:
  struct Waiting {
    std::int64_t burst;
    Clock accepted;
  };
  struct Leaving {
    std::int64_t burst;
    Clock at;
  };

  const Dram& part() const { return channel_.part(); }
  bool waits(std::int64_t burst) const;
  bool holds(std::int64_t burst, Clock clock) const;
  Clock free_place(Clock earliest) const;
  std::size_t next_written() const;
  void write_batch(Clock earliest);
  void place(std::size_t waiting, Clock earliest);

  DramChannel channel_;
  bool writing_ = false;          ///< nothing has been read since the last batch
  Clock since_ = 0;               ///< batches follow each other; rows of what waits are opened meanwhile
  std::vector<Waiting> waiting_;  ///< in the order of acceptance
  std::vector<Leaving> leaving_;  ///< have their clock, and keep their place until then
  std::vector<Clock> served_;
};

}  // namespace accord::sim
