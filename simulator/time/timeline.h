#pragma once

#include <cstdint>
#include <vector>

#include "simulator/time/time.h"

namespace accord::sim {

/// Cycles of something that serves one request at a time, taken in the order of the calls; later calls may fill gaps
/// that earlier ones left.
class Timeline {
 public:
  struct Slot {
    Cycle first = 0;  ///< the first cycle taken
    Cycle end = 0;    ///< one past the last
  };

  /// Takes the first `cycles` free cycles from `earliest` on.
  Slot reserve(Cycle earliest, Cycle cycles);

  /// When the last cycle taken ends.
  Cycle end() const { return busy_.empty() ? 0 : busy_.back().end; }

  /// No later call will ask for cycles before `now`.
  void forget_before(Cycle now);

  int number = -1;  ///< in the dependence graph; -1: none yet

 private:
  struct Interval {
    Cycle first, end;
  };
  Slot fill(Cycle earliest, Cycle cycles);

  std::vector<Interval> busy_;  ///< ascending, disjoint, not adjacent
};

/// Which cycles anything was busy in: overlapping intervals counted once.
class BusyCycles {
 public:
  void add(Cycle first, Cycle end);

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
  std::vector<Interval> busy_;
};

}  // namespace accord::sim
