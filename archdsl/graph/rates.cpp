#include "archdsl/graph/rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace accord {

double per_reference_cycle(std::int64_t bytes, const Period& period) {
  return static_cast<double>(bytes) * static_cast<double>(period.denominator) / static_cast<double>(period.numerator);
}

bool states_bandwidth(const Architecture& architecture, const Link& link) {
  const Period& clock = architecture.clocks[static_cast<std::size_t>(link.clock)].period;
  return link.period.numerator != clock.numerator || link.period.denominator != clock.denominator;
}

std::int64_t bandwidth_of(const Architecture& architecture, const Link& link) {
  return std::llround(architecture.clock_hz / static_cast<double>(link.period.numerator) *
                      static_cast<double>(link.period.denominator));
}

Link private_wire(const Architecture& architecture, const Route& route) {
  const Memory& source = architecture.memories[static_cast<std::size_t>(route.source)];
  const Memory& target = architecture.memories[static_cast<std::size_t>(route.target)];
  const Memory& narrower = source.word <= target.word ? source : target;
  Link wire;
  wire.width = narrower.dram ? narrower.word * narrower.banks : narrower.word;
  wire.clock = narrower.clock;
  wire.period = word_period(narrower);
  return wire;
}

double bytes_per_cycle(const Link& link) { return per_reference_cycle(link.width, link.period); }

double bytes_per_cycle(const Architecture& architecture, const Route& route) {
  if (route.links.empty()) return bytes_per_cycle(private_wire(architecture, route));
  double least = bytes_per_cycle(architecture.links[static_cast<std::size_t>(route.links[0])]);
  for (const int link : route.links)
    least = std::min(least, bytes_per_cycle(architecture.links[static_cast<std::size_t>(link)]));
  return least;
}

double peak_rate(const Memory& memory) {
  const int ports = memory.shared_ports ? memory.read_ports : memory.read_ports + memory.write_ports;
  return memory.banks * ports * per_reference_cycle(memory.word, word_period(memory));
}

std::int64_t queued_cycles(const Architecture& architecture) {
  std::int64_t most = 0;
  for (const Memory& memory : architecture.memories) {
    if (memory.dram) most = std::max(most, memory.dram->burst_period.cycles(memory.dram->write_queue));
  }
  return most;
}

double sustained_rate(const Memory& memory) {
  if (!memory.dram || memory.dram->refi == 0) return peak_rate(memory);
  const Dram& dram = *memory.dram;
  const auto lost = static_cast<double>(dram.rp + dram.rfc + dram.rtp + dram.rcd);
  return peak_rate(memory) * (1 - lost / static_cast<double>(dram.refi));
}

std::int64_t way_latency(const Architecture& architecture, const Route& route) {
  std::int64_t cycles = route.crossing;
  for (const int index : route.links) {
    const Link& link = architecture.links[static_cast<std::size_t>(index)];
    cycles += link.period.cycles(link.latency);
  }
  return cycles;
}

const Route* capability_route(const Unit& unit) {
  if (unit.routes.empty()) return nullptr;
  const std::vector<int>& links = unit.routes.front().links;
  return !links.empty() && links.front() == unit.link ? &unit.routes.front() : nullptr;
}

int off_chip_link(const Architecture& architecture, const Unit& unit) {
  const Route* const route = capability_route(unit);
  const bool ends_there = route != nullptr && architecture.memories[static_cast<std::size_t>(route->target)].off_chip;
  return ends_there ? route->links.back() : unit.link;
}

bool against_route(const Architecture& architecture, const Route& route, bool writes) {
  return writes != architecture.memories[static_cast<std::size_t>(route.target)].off_chip;
}

std::int64_t interval_of(const Capability& capability, std::vector<std::int64_t> counts) {
  for (const CapabilityOperand& operand : capability.operands) {
    if (operand.held) counts.push_back(0);
  }
  return capability.interval.evaluate(counts);
}

double peak_points(const Capability& capability) {
  double points = 1;
  std::vector<std::int64_t> counts;
  for (const CapabilityDim& dim : capability.dims) {
    points *= static_cast<double>(dim.maximum);
    counts.push_back(dim.maximum);
  }
  return points / static_cast<double>(std::max<std::int64_t>(interval_of(capability, std::move(counts)), 1));
}

}  // namespace accord
