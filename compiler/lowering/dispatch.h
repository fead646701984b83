#pragma once

#include <cstdint>
#include <span>

#include "archdsl/graph/architecture.h"
#include "compiler/lowering/schedule.h"

namespace accord {

/// When a list ends that is dispatched in this order from cycle `from` on, no operation sooner than its schedule says:
/// waits and signals take issue slots and places in queues as well, and what finds no place holds up all that comes
/// after it. A wait is over when it is dispatched; that for which an operation waits longest its schedule knows. Queues
/// are empty at first. A fence waits for all that comes before it, which lists before have done in cycle `done_before`,
/// and so shifts what the schedule has behind it.
std::int64_t dispatched_end(const Architecture& architecture, const OpList& list, const Schedule& schedule,
                            std::span<const OrderedOp> order, std::int64_t from, std::int64_t done_before);

/// Whether an operation has more waits before it than its unit's queue has places.
bool fills_a_queue(const Architecture& architecture, std::span<const OrderedOp> order);

}  // namespace accord
