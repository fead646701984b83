#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// Interleaves the units' operations: each unit keeps its order, and the next in program order is the operation that
/// could start first once the buffers it touches are free (list scheduling over predicted times). Dispatch in this
/// order lets loads run ahead of computation as far as buffers allow, and never waits for something that comes
/// later. Lists with loops keep their order. Returns indices into `list.ops`.
std::vector<std::uint32_t> schedule(const OpList& list, int units);

/// A wait or signal, or an operation of the list.
struct OrderedOp {
  enum class Kind : std::uint8_t { operation, wait, signal };
  Kind kind = Kind::operation;
  int unit = -1;
  int semaphore = -1;
  std::uint32_t op = 0;
};

/// Adds what a machine with semaphores needs for the order of operations on different units: a signal after each
/// operation that another unit must see done, a wait before the operation that must see it; none that an earlier wait
/// already implies. One semaphore per ordered pair of units. Throws Error where the machine has too few.
std::vector<OrderedOp> synchronise(const OpList& list, const std::vector<std::uint32_t>& order, int units,
                                   int semaphores);

}  // namespace accord
