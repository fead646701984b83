#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// `bytes` per cycle of `period`, per reference cycle.
double per_reference_cycle(std::int64_t bytes, const Period& period);

/// Bytes per reference cycle.
double bytes_per_cycle(const Link& link);

/// Whether the link states a bandwidth, its beat being a period of its own instead of its clock's.
bool states_bandwidth(const Architecture& architecture, const Link& link);

/// Bytes per second that a link with a bandwidth states.
std::int64_t bandwidth_of(const Architecture& architecture, const Link& link);

/// What a route without links passes: a wire as wide as the narrower memory's word, on that memory's clock (of equal
/// ones the source's).
Link private_wire(const Architecture& architecture, const Route& route);

/// Bytes per reference cycle of a route alone: its narrowest link, or its private wire.
double bytes_per_cycle(const Architecture& architecture, const Route& route);

/// Reference cycles that the links of a route and the crossings between its clock domains add to a request.
std::int64_t way_latency(const Architecture& architecture, const Route& route);

/// The route whose way a mover's capabilities share: its first, where that begins with the mover's link; else nullptr.
const Route* capability_route(const Unit& unit);

/// Of the links that serve a mover's capabilities, the one at off-chip memory; -1: a private wire does.
int off_chip_link(const Architecture& architecture, const Unit& unit);

/// Whether a capability that writes (else reads) off-chip memory passes the links of that route against its direction.
bool against_route(const Architecture& architecture, const Route& route, bool writes);

/// Own cycles of an operation's interval whose dims count so much and that loads no held operand.
std::int64_t interval_of(const Capability& capability, std::vector<std::int64_t> counts);

/// Points per own cycle of an operation whose dims count what they can at most, and that loads no held operand.
double peak_points(const Capability& capability);

/// Reference cycles from a request's acceptance to its first word; of DRAM where its row is open.
inline std::int64_t latency_of(const Memory& memory) {
  return memory.period.cycles(memory.latency) + (memory.dram ? memory.dram->period.cycles(memory.dram->cl) : 0);
}

/// Between two words at one port; of DRAM, two bursts on a channel's data bus.
inline const Period& word_period(const Memory& memory) {
  return memory.dram ? memory.dram->burst_period : memory.period;
}

/// Bytes per reference cycle that all of a memory's ports, or a DRAM's data buses, pass: no run of any program has
/// more.
double peak_rate(const Memory& memory);

/// Reference cycles in which DRAM's data buses pass what the write queues of its channels hold; 0 without such a
/// memory.
std::int64_t queued_cycles(const Architecture& architecture);

/// What is left of the peak by refreshes and by opening the rows again after them: a long stream of bursts in order.
double sustained_rate(const Memory& memory);

}  // namespace accord
