#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Addresses on chip that an operation reads or writes: [low, high), the bounding range of one access, as hardware that
/// keeps order by address compares them.
struct AddressRange {
  int memory = -1;
  bool reads = false;
  bool writes = false;     ///< with `reads`: accumulates in place
  std::uint32_t base = 0;  ///< the argument that moves it, or `fixed`
  std::int64_t low = 0;
  std::int64_t high = 0;

  static constexpr std::uint32_t fixed = UINT32_MAX;
  /// What a turn of a loop moves it by, whose argument values grow by `deltas`.
  std::int64_t move(const std::int64_t* deltas) const { return base == fixed ? 0 : deltas[base]; }
};

/// Tells from an operation's argument values what it touches. The architecture must outlive it.
class AddressRanges {
 public:
  explicit AddressRanges(const Architecture& architecture) : architecture_(architecture) {}

  /// Ranges in on-chip memories; `out` is overwritten. What a unit holds between its operations counts as a memory of
  /// its own, number memories + unit: whether an operand must be loaded again depends on their order.
  void of(const OpList& list, const LowOp& op, std::vector<AddressRange>& out) const;

  /// Ranges in all memories, without what units hold.
  void in_memories(const OpList& list, const LowOp& op, std::vector<AddressRange>& out) const;

 private:
  void of_transfer(const LowOp& op, const MaybeValue* values, std::vector<AddressRange>& out) const;
  void of_run(const LowOp& op, const MaybeValue* values, std::vector<AddressRange>& out) const;

  const Architecture& architecture_;
};

}  // namespace accord
