#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/dram.h"

namespace accord::sim {

/// A DRAM channel: when a burst's commands can be given, by the times between commands that JEDEC's standards state.
/// All times are in clocks of the part.
///
/// Scheduling: a burst is placed when it is presented, at the earliest clocks that its bank, its group, the data bus
/// and refresh leave among what is placed already; so it goes ahead of bursts that still wait for their rows (ready
/// first), of at most `Dram::window`. Rows stay open until another one is needed; a burst of a row that is about to be
/// closed goes first where that does not delay the precharge. The precharge is as late as the activate after it allows.
///
/// Every tREFI all banks are closed and refreshed; what would not be through by then waits. The command bus is not
/// modelled (it is busy for a clock per command).
class DramChannel {
 public:
  using Clock = std::int64_t;

  explicit DramChannel(const Dram& part);

  struct Place {
    std::int64_t group, bank, row;
  };
  const Dram& part() const { return part_; }
  /// Where the n-th burst of the channel's address space lies.
  Place place_of(std::int64_t burst) const;

  /// The clock of the burst's column command.
  Clock access(bool write, std::int64_t burst, Clock earliest) { return access(write, burst, earliest, earliest); }
  /// The same where its row may be opened from another clock on.
  Clock access(bool write, std::int64_t burst, Clock earliest, Clock opening);

  /// Whether the burst's row is the one that its bank opened last.
  bool is_open(std::int64_t burst) const;
  bool same_bank(std::int64_t a, std::int64_t b) const { return bank_of(place_of(a)) == bank_of(place_of(b)); }
  /// Clock of the last column command; 0 before any.
  Clock last() const { return columns_.empty() ? 0 : columns_.back().at; }

  std::int64_t hits() const { return hits_; }
  std::int64_t misses() const { return misses_; }  ///< activates

 private:
  struct Column {
    Clock at;
    std::int64_t group;
    bool write;
  };
  struct Activate {
    Clock at;
    std::int64_t group;
  };
  struct Bank {
    std::int64_t row = -1;  ///< open, unless a refresh has come since
    Clock activated = 0;
    Clock closable = 0;  ///< earliest precharge
    std::int64_t closing_row = -1;
    Clock closing_activated = 0;
    Clock closing = 0;  ///< its precharge
  };

  std::size_t bank_of(const Place& place) const {
    return static_cast<std::size_t>(place.group * part_.banks + place.bank);
  }
  bool use_closing_row(Bank& bank, const Place& place, bool write, Clock earliest, Clock& at);
  bool is_open(const Bank& bank, std::int64_t row, Clock at) const;
  Clock activate_slot(const Bank& bank, const Place& place, bool write, Clock earliest) const;
  Clock column_slot(std::int64_t group, bool write, Clock earliest) const;
  Clock spacing(const Column& first, const Column& second) const;
  Clock spacing(const Activate& first, const Activate& second) const;
  /// First clock from `at` on that no refresh takes, where `need` more are left before the next.
  Clock between_refreshes(Clock at, Clock need) const;
  Clock epoch(Clock at) const { return part_.refi > 0 ? at / part_.refi : 0; }
  void open(Bank& bank, std::int64_t row, const Activate& activate);
  void add(const Column& column);

  Dram part_;
  std::vector<Bank> banks_;              ///< by group, bank
  std::vector<Column> columns_;          ///< ascending; the last ones
  std::vector<Activate> activates_;      ///< ascending; the last ones
  Clock column_reach_, activate_reach_;  ///< beyond which commands do not see each other
  std::int64_t hits_ = 0, misses_ = 0;
};

}  // namespace accord::sim
