#include <algorithm>
#include <map>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
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

Cycle Binder::pace_of(const OperationShape& shape) const {
  std::map<int, std::int64_t> words;  // by memory, through the ports for writes
  for (const AccessShape& access : shape.accesses) {
    const Memory& memory = architecture_.memories[static_cast<std::size_t>(access.memory)];
    std::int64_t all = ceil_div(access.footprint.run, memory.word);
    for (const Stride& dim : access.footprint.outer) all *= dim.count;
    if (access.reads && memory.shared_ports) words[access.memory] += all;
    if (access.writes) words[access.memory] += all;
  }
  for (const auto& [number, count] : words) {
    const Memory& memory = architecture_.memories[static_cast<std::size_t>(number)];
    const std::int64_t ports = std::max(1, memory.shared_ports ? memory.read_ports : memory.write_ports);
    if (word_period(memory).cycles(ceil_div(count, ports)) > shape.interval) return 1;
  }
  return std::max<Cycle>(1, shape.interval);
}

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
