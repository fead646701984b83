#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/modules/operation_pool.h"

namespace accord::sim {

/// Which operations an interlock begins after which others, whatever the timing: one after those of other units whose
/// ranges on chip it conflicts with, and after what these come after. Looked up only where something off chip asks for
/// it, among the last operations since a fence.
class InterlockOrder {
 public:
  InterlockOrder(const Architecture& architecture, OperationPool& pool) : architecture_(architecture), pool_(pool) {}

  /// The unit's `count`-th begins.
  void begin(Operation& operation, std::uint64_t count);
  /// Every unit is idle: what was comes before all that will be.
  void forget();
  /// Whether the operation at hand, which is about to begin, comes after the unit's `count`-th is done.
  bool comes_after(const Operation& operation, int unit, std::uint64_t count);

 private:
  static constexpr std::size_t kept = 1024;
  struct Begun {
    Operation* operation;
    std::uint64_t count;
  };
  bool waits_for(const Operation& earlier) const;

  const Architecture& architecture_;
  OperationPool& pool_;
  std::deque<Begun> begun_;               ///< the newest last; each holds its operation
  std::vector<const Operation*> before_;  ///< that begin no later than the one asked about, with it; scratch
};

}  // namespace accord::sim
