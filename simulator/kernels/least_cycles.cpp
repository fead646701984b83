#include <algorithm>

#include "archdsl/graph/rates.h"
#include "simulator/kernels/binder.h"

namespace accord::sim {

namespace {

/// Ports that all the footprint's runs take, at least one word each, were they spread over all banks.
Cycle port_cycles(const Memory& memory, const Footprint& footprint, bool write) {
  if (footprint.extent == 0) return 0;
  std::int64_t runs = 1;
  for (const Stride& dim : footprint.outer) runs *= dim.count;
  const int ports = write && !memory.shared_ports ? memory.write_ports : memory.read_ports;
  return word_period(memory).cycles(runs / (std::int64_t{memory.banks} * std::max(1, ports)));
}

}  // namespace

Cycle Binder::least_cycles(const OperationShape& shape, const Unit& unit) const {
  Cycle least = shape.interval;
  for (const AccessShape& access : shape.accesses) {
    const Memory& memory = architecture_.memories[static_cast<std::size_t>(access.memory)];
    const bool requested = unit.kind == UnitKind::mover && (shape.placements.empty() || memory.off_chip);
    if (!requested) least = std::max(least, port_cycles(memory, access.footprint, access.writes));
  }
  for (const AccessShape& target : shape.filling.boxes.empty() ? std::span<const AccessShape>{} : targets_of(shape)) {
    const Memory& memory = architecture_.memories[static_cast<std::size_t>(target.memory)];
    for (const Footprint& box : shape.filling.boxes) least = std::max(least, port_cycles(memory, box, true));
  }
  std::int64_t requests = 0;
  for (const RequestPattern& pattern : shape.requests)
    requests += pattern.runs * ((pattern.run + unit.request - 1) / unit.request);
  // A cycle less where the first request may come within one of the reference.
  const Cycle beats = unit.period.cycles(std::max<std::int64_t>(requests - 1, 0));
  return std::max(least, unit.period.denominator == 1 ? beats : beats - 1);
}

}  // namespace accord::sim
