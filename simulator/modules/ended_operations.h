#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <deque>

#include "simulator/modules/run_state.h"

namespace accord::sim {

/// Takes operations that are done. While the run is recorded, the last ones stay: a later operation that conflicts with
/// one did not wait for it, but would where it took longer (report/sensitivity).
class EndedOperations {
 public:
  explicit EndedOperations(RunState& run) : run_(run) {}

  /// One that nobody else needs.
  void take(Operation* operation) {
    if (!run_.graph.recording()) return run_.pool.release(operation);
    kept_.push_back(operation);
    if (kept_.size() <= most) return;
    run_.pool.release(kept_.front());
    kept_.pop_front();
  }

  /// `time`, and no sooner than those that `waits(operation)` names are done: the same, unless something changes. Of
  /// each unit the last one.
  template <typename Waits>
  Time no_sooner(Time time, const Waits& waits) const {
    boost::container::small_vector<int, 8> units;
    for (auto operation = kept_.rbegin(); operation != kept_.rend(); ++operation) {
      const int unit = (*operation)->unit;
      if (std::ranges::find(units, unit) != units.end() || !waits(**operation)) continue;
      units.push_back(unit);
      time = run_.graph.later(time, (*operation)->done);
    }
    return time;
  }

 private:
  static constexpr std::size_t most = 32;  ///< what ended long before would have to take much longer

  RunState& run_;
  std::deque<Operation*> kept_;
};

}  // namespace accord::sim
