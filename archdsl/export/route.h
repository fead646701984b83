#pragma once

#include <cmath>
#include <cstdint>

#include "archdsl/graph/architecture.h"

namespace accord {

/// True where the link states a bandwidth, its beat being a period of its own instead of its clock's.
inline bool states_bandwidth(const Architecture& architecture, const Link& link) {
  const Period& clock = architecture.clocks[static_cast<std::size_t>(link.clock)].period;
  return link.period.numerator != clock.numerator || link.period.denominator != clock.denominator;
}

/// Bytes per second that a link with a bandwidth states.
inline std::int64_t bandwidth_of(const Architecture& architecture, const Link& link) {
  return std::llround(architecture.clock_hz / static_cast<double>(link.period.numerator) *
                      static_cast<double>(link.period.denominator));
}

/// Bytes per cycle; of a bandwidth per cycle of the reference clock, rounded, at least 1.
inline std::int64_t width_of(const Architecture& architecture, const Link& link) {
  if (!states_bandwidth(architecture, link)) return link.width;
  const auto width = std::llround(static_cast<double>(bandwidth_of(architecture, link)) / architecture.clock_hz);
  return width < 1 ? 1 : width;
}

}  // namespace accord
