#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "archdsl/graph/period.h"

namespace accord {

/// A DRAM part: banks with an open row each, and the times between commands (JEDEC's names), in clocks of its own.
struct Dram {
  enum class Interleave : std::uint8_t { group, row, bank };

  double clock_hz = 0;
  Period period;        ///< of a clock, in reference cycles
  Period burst_period;  ///< of a burst on the data bus
  /// Where consecutive bursts of a channel lie: in its bank groups in turn, in one row, in all its banks in turn.
  Interleave interleave = Interleave::group;
  std::int64_t window = 1;        ///< column commands of a channel that something may still be put before
  std::int64_t write_queue = 1;   ///< bursts that a channel's controller keeps until it writes several in one go
  std::int64_t width = 1;         ///< bytes per transfer of a channel
  std::int64_t burst = 1;         ///< transfers per column command
  std::int64_t burst_cycles = 1;  ///< clocks that a burst takes on the data bus
  std::int64_t groups = 1;        ///< bank groups
  std::int64_t banks = 1;         ///< per group
  std::int64_t row = 1;           ///< bytes that an open row of a channel holds
  std::int64_t cl = 0, cwl = 0;   ///< command to data
  std::int64_t rcd = 0, rp = 0, ras = 0;
  std::int64_t ccd_s = 0, ccd_l = 0;           ///< column to column command: another group, the same
  std::int64_t rrd_s = 0, rrd_l = 0, faw = 0;  ///< activate to activate; at most four in faw
  std::int64_t rtp = 0, wr = 0;                ///< read command, end of written data to precharge
  std::int64_t wtr_s = 0, wtr_l = 0, rtw = 0;  ///< end of written data to read command, read to write command
  std::int64_t sharers = 1;                    ///< parts of divided work that take turns at its clocks
  std::int64_t refi = 0, rfc = 0;              ///< refresh of all banks; refi 0: none

  /// From `period`.
  Period make_burst_period() const;
  std::int64_t burst_bytes() const { return width * burst; }
  /// Writes that wait, at which the controller turns to them, at which it does where there is nothing to read, and how
  /// many it writes then. gem5 (src/mem/MemCtrl.py) has the same shares, and the number.
  std::int64_t write_high() const { return (85 * write_queue + 99) / 100; }
  std::int64_t write_low() const { return (write_queue + 1) / 2; }
  std::int64_t write_batch() const { return std::min<std::int64_t>(write_high(), 16); }
  /// Column command to the earliest precharge.
  std::int64_t recovery(bool write) const { return write ? cwl + burst_cycles + wr : rtp; }
};

/// A whole number of a Dram, under its name in the covenant.
struct DramFigure {
  enum class Unit : std::uint8_t { number, bytes, clocks };
  std::string_view name;
  std::int64_t Dram::*value;
  Unit unit;
};

/// All but the clock, the interleaving, the window and the queue.
std::span<const DramFigure> dram_figures();

/// `group`, `row`, `bank`.
std::string_view name(Dram::Interleave interleave);
/// The interleaving of that name, which must be one.
Dram::Interleave interleave_of(std::string_view name);

}  // namespace accord
