#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// What the instruction set lets a capability or route do: the covenant's dims cut down to what fields, constants and
/// registers of its mnemonic can hold.
struct RouteLimits {
  int mnemonic = -1;
  std::vector<WalkDim> walk;
  std::int64_t source_unit = 1;  ///< addresses are multiples of this
  std::int64_t target_unit = 1;
};

struct RunLimits {
  int mnemonic = -1;
  std::vector<CapabilityDim> dims;
  std::vector<std::int64_t> units;  ///< per operand: instructions give its addresses and steps in multiples of this
};

class Limits {
 public:
  explicit Limits(const Architecture& architecture);
  /// Absent where no mnemonic drives it.
  const RouteLimits* route(int unit, int route) const;
  const RunLimits* run(int unit, int capability) const;
  int mnemonic_for(Meaning meaning, int unit = -1) const;

 private:
  const Architecture& architecture_;
  std::map<std::pair<int, int>, RouteLimits> routes_;
  std::map<std::pair<int, int>, RunLimits> runs_;
};

}  // namespace accord
