#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Program order, and what it is predicted to take.
struct Schedule {
  std::vector<std::uint32_t> order;  ///< indices into `list.ops`
  std::int64_t cycles = 0;           ///< until the last result is there
};

/// Interleaves the units' operations: the next in program order is the one that could start first once what touches its
/// buffers before is done (list scheduling over predicted times; Graham, 1969). Compute units keep their order, movers
/// only that of operations on one buffer: a load need not queue behind one that still waits for a result. Dispatch in
/// this order lets loads run ahead as far as buffers allow, and never waits for something that comes later.
Schedule schedule(const OpList& list, const Architecture& architecture);

/// The same for machines that begin operations strictly in program order (and keep order by address): an operation that
/// comes too early holds up all after it, so issue slots and what movers still have under way count. Loops stand as one
/// among the operations around them, which move across where they use other units.
Schedule schedule_in_order(const OpList& list, const Architecture& architecture);

/// The one of them that the machine's order calls for.
Schedule schedule_for(const OpList& list, const Architecture& architecture);

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
