#pragma once

#include <cmath>
#include <cstdint>

#include "archdsl/graph/rates.h"

namespace accord {

/// Bytes per cycle; of a bandwidth per cycle of the reference clock, rounded, at least 1.
inline std::int64_t width_of(const Architecture& architecture, const Link& link) {
  if (!states_bandwidth(architecture, link)) return link.width;
  const auto width = std::llround(static_cast<double>(bandwidth_of(architecture, link)) / architecture.clock_hz);
  return width < 1 ? 1 : width;
}

}  // namespace accord
