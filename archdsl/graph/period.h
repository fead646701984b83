#pragma once

#include <cstdint>

namespace accord {

/// Length of a component's own cycle in cycles of the reference clock: `numerator / denominator`, reduced.
struct Period {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  /// Reference cycles that `own` cycles take, rounded up.
  std::int64_t cycles(std::int64_t own) const;
  bool is_reference() const { return numerator == denominator; }
};

}  // namespace accord
