#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "archdsl/graph/period.h"
#include "simulator/time/time.h"

namespace accord::sim {

/// Cycles of something that serves one request at a time, taken in the order of the calls; later calls may fill gaps
/// that earlier ones left.
///
/// What is clocked otherwise counts in parts of a cycle (a period of 5/8 cycles: 8 parts, of which each of its own
/// cycles takes 5), and fills gaps with whole cycles of its own.
class Timeline {
 public:
  struct Slot {
    Cycle first = 0;  ///< the cycle in which the first part taken lies
    Cycle end = 0;    ///< one past that of the last
  };

  explicit Timeline(const Period& own = {}) : own_(own) {}

  /// Takes the first `length` free parts from the cycle `earliest` on.
  Slot reserve(Cycle earliest, std::int64_t length) {
    const std::int64_t parts = own_.denominator;
    if (parts == 1) return take(earliest, length);
    const Slot slot = take(earliest * parts, length);
    return {slot.first / parts, (slot.end + parts - 1) / parts};
  }

  /// The first cycle from `earliest` on with `length` free parts in one stretch behind it.
  Cycle stretch(Cycle earliest, std::int64_t length) const;

  /// When the last cycle taken ends.
  Cycle end() const { return (last_part() + own_.denominator - 1) / own_.denominator; }
  std::int64_t last_part() const { return last_.end == nothing ? 0 : last_.end; }
  const Period& own() const { return own_; }

  int number = -1;  ///< in the dependence graph; -1: none yet

 private:
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();

  struct Interval {
    std::int64_t first, end;
  };
  Slot take(std::int64_t earliest, std::int64_t length) {
    if (length <= 0) return {earliest, earliest};
    if (earliest > last_.end) {
      if (last_.end != nothing) remember_last();
      last_ = {earliest, earliest + length};
      return {earliest, earliest + length};
    }
    if (earliest < last_.first) return fill(earliest, length);
    const std::int64_t first = last_.end;
    last_.end += length;
    return {first, first + length};
  }
  void remember_last();
  /// What a gap takes of so many parts.
  std::int64_t whole(std::int64_t gap, std::int64_t length) const;
  Slot fill(std::int64_t earliest, std::int64_t length);
  Slot fill(std::vector<Interval>& busy, std::int64_t earliest, std::int64_t length) const;

  Period own_;  ///< cycle, in reference cycles
  // In parts; ascending, disjoint, not adjacent. Most calls need the last alone.
  std::vector<Interval> before_;
  Interval last_{nothing, nothing};
};

/// Which cycles anything was busy in: overlapping intervals counted once.
class BusyCycles {
 public:
  void add(Cycle first, Cycle end) {
    if (first >= end) return;
    if (busy_.empty() || first > busy_.back().end) {
      busy_.push_back({first, end});
    } else if (first < busy_.back().first) {
      insert(first, end);
    } else if (end > busy_.back().end) {
      busy_.back().end = end;
    }
  }

  /// Calls take(first, end) for the busy stretches before `limit`, ascending, and forgets them.
  template <class Take>
  void drain(Cycle limit, Take&& take) {
    std::size_t i = 0;
    for (; i < busy_.size() && busy_[i].first < limit; ++i) {
      take(busy_[i].first, busy_[i].end < limit ? busy_[i].end : limit);
      if (busy_[i].end > limit) {
        busy_[i].first = limit;
        break;
      }
    }
    busy_.erase(busy_.begin(), busy_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::size_t pieces() const { return busy_.size(); }

 private:
  struct Interval {
    Cycle first, end;
  };
  void insert(Cycle first, Cycle end);

  std::vector<Interval> busy_;  ///< ascending, disjoint, not adjacent
};

}  // namespace accord::sim
