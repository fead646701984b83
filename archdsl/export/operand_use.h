#pragma once

#include <set>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Operands (indices) that a capability reads from and writes to memory. Accumulating into an operand reads it, unless
/// the capability itself assigned it before.
struct OperandUse {
  std::set<int> reads;
  std::set<int> writes;
};

OperandUse operand_use(const Capability& capability);

}  // namespace accord
