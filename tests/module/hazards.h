#pragma once

#include <algorithm>
#include <string>

#include "simulator/simulate.h"

namespace accord::test {

/// The first hazard of this kind; null where there is none.
inline const Hazard* hazard_of(const SimulateResult& result, const std::string& kind) {
  const auto found = std::ranges::find(result.hazards, kind, &Hazard::kind);
  return found == result.hazards.end() ? nullptr : &*found;
}

}  // namespace accord::test
