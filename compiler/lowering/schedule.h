#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// Program order, and what it is predicted to take.
struct Schedule {
  std::vector<std::uint32_t> order;  ///< indices into `list.ops`
  std::int64_t cycles = 0;           ///< until the last result is there
  std::vector<std::int64_t> done;    ///< by operation; empty where operations stand in loops
  std::vector<std::int64_t> free;    ///< by unit: when it takes the next one; empty as well
};

/// What was under way when a list's first operation comes.
struct Lead {
  std::vector<std::int64_t> ready;  ///< by operation: not before; empty: all at once
  std::vector<std::int64_t> free;   ///< by unit; empty: all at once
  bool operator==(const Lead&) const = default;
};

/// Interleaves the units' operations: the next in program order is the one that could start first once what touches its
/// buffers before is done (list scheduling over predicted times; Graham, 1969). Compute units keep their order, movers
/// only that of operations on one buffer: a load need not queue behind one that still waits for a result. Dispatch in
/// this order lets loads run ahead as far as buffers allow, and never waits for something that comes later.
Schedule schedule(const OpList& list, const Architecture& architecture, const Lead& lead = {});

/// The same for machines that begin operations strictly in program order (and keep order by address): an operation that
/// comes too early holds up all after it, so issue slots and what movers still have under way count. Loops stand as one
/// among the operations around them, which move across where they use other units.
Schedule schedule_in_order(const OpList& list, const Architecture& architecture);

/// The one of them that the machine's order calls for; the one in order knows no lead.
Schedule schedule_for(const OpList& list, const Architecture& architecture, const Lead& lead = {});

/// Schedules of a list that comes again, or of lists that differ in nothing that schedules look at, by what was under
/// way.
class KnownSchedules {
 public:
  const Schedule& of(const OpList& list, const Architecture& architecture, const Lead& lead);

 private:
  static constexpr std::size_t most_known = 2;
  std::deque<std::pair<Lead, Schedule>> known_;
};

/// A wait, signal or fence, or an operation of the list.
struct OrderedOp {
  enum class Kind : std::uint8_t { operation, wait, signal, fence };
  Kind kind = Kind::operation;
  int unit = -1;
  int semaphore = -1;
  std::uint32_t op = 0;
};

}  // namespace accord
