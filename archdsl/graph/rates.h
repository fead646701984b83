#pragma once

#include <cstdint>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Bytes per reference cycle.
double bytes_per_cycle(const Link& link);

/// Bytes per reference cycle of a route alone: its narrowest link, or the narrower memory's words on a private wire.
double bytes_per_cycle(const Architecture& architecture, const Route& route);

/// Reference cycles that the links of a route and the crossings between its clock domains add to a request.
std::int64_t way_latency(const Architecture& architecture, const Route& route);

/// The route whose way a mover's capabilities share: its first, where that begins with the mover's link; else nullptr.
const Route* capability_route(const Unit& unit);

/// Reference cycles from a request's acceptance to its first word.
inline std::int64_t latency_of(const Memory& memory) { return memory.period.cycles(memory.latency); }

}  // namespace accord
