#pragma once

#include <algorithm>

#include "archdsl/graph/architecture.h"
#include "simulator/kernels/operation.h"

namespace accord::sim::cycle {

/// Own cycles of a component, one after another, on the time of the reference clock. After a pause the next one begins
/// with a cycle of the reference.
class Pace {
 public:
  explicit Pace(const Period& period) : period_(period) {}

  /// Takes the next own cycle from `at` on; returns the reference cycle by whose beginning it is over.
  Cycle take(Cycle at) {
    free_ = std::max(free_, at * period_.denominator) + period_.numerator;
    return end();
  }
  /// The reference cycle in which the next own cycle can begin.
  Cycle next() const { return free_ / period_.denominator; }
  /// By when all that was taken is over.
  Cycle end() const { return (free_ + period_.denominator - 1) / period_.denominator; }
  bool operator<(const Pace& other) const { return free_ < other.free_; }

 private:
  Period period_;
  std::int64_t free_ = 0;  ///< in parts of 1 / denominator of a reference cycle
};

}  // namespace accord::sim::cycle
