#include "compiler/mapping/link_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "archdsl/graph/rates.h"

namespace accord {

LinkBound::LinkBound(const Machine& machine, const PassageFinder& finder) : machine_(machine), finder_(finder) {
  const auto& units = machine.architecture.units;
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const auto& route : units[u].routes) add_route(static_cast<int>(u), route);
    add_operands(static_cast<int>(u));
  }
}

LinkBound::Wire& LinkBound::wire(Key key, double width) {
  const auto [it, fresh] = index_.try_emplace(key, wires_.size());
  if (fresh) wires_.push_back({width, {}, {}, {}});
  return wires_[it->second];
}

LinkBound::Wire& LinkBound::wire_of_link(int index, int memory, bool inwards) {
  const Link& link = machine_.architecture.links[index];
  // Both directions of a bus are one wire; a crossbar has one for each off-chip memory and direction.
  const int direction = link.duplex || link.crossbar ? (inwards ? 1 : 2) : 0;
  return wire({0, index, direction, link.crossbar ? memory : -1}, bytes_per_cycle(link));
}

void LinkBound::add_route(int unit, const Route& route) {
  const bool inwards = finder_.off_chip(route.source);
  if (inwards == finder_.off_chip(route.target)) return;
  const int index = static_cast<int>(&route - machine_.architecture.units[unit].routes.data());
  Wire& way = route.links.empty() ? wire({1, unit, index, -1}, bytes_per_cycle(machine_.architecture, route))
                                  : wire_of_link(inwards ? route.links.front() : route.links.back(),
                                                 inwards ? route.source : route.target, inwards);
  auto& ends = inwards ? way.into : way.out_of;
  ends.push_back(inwards ? route.target : route.source);
  if (inwards) ends.insert(ends.end(), route.also.begin(), route.also.end());
}

/// Off-chip operands of the unit's own capabilities: over a mover's link, its first route's wire or one of its own; a
/// compute unit over the memory's ports.
void LinkBound::add_operands(int index) {
  const Architecture& architecture = machine_.architecture;
  const Unit& unit = architecture.units[index];
  const int link = off_chip_link(architecture, unit);
  for (const auto& capability : unit.capabilities) {
    const int target = capability.program.statements.back().target.operand;
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      const int memory = capability.operands[o].memory;
      if (!finder_.off_chip(memory)) continue;
      const bool inwards = static_cast<int>(o) != target;
      Wire* way = nullptr;
      if (unit.kind == UnitKind::compute) {
        const Memory& m = architecture.memories[memory];
        const int ports = inwards ? m.read_ports : m.write_ports;
        way = &wire({2, memory, inwards ? 1 : 2, -1}, per_reference_cycle(m.word, word_period(m)) * m.banks * ports);
      } else if (link >= 0) {
        way = &wire_of_link(link, memory, inwards);
      } else {
        way = &wire({1, index, unit.routes.empty() ? -1 : 0, inwards ? 1 : 2},
                    unit.routes.empty() ? per_reference_cycle(unit.request, unit.period)
                                        : bytes_per_cycle(architecture, unit.routes.front()));
      }
      way->units.push_back(index);
      const int result = capability.operands[target].memory;
      if (inwards && result >= 0 && !finder_.off_chip(result)) way->into.push_back(result);
    }
  }
}

bool LinkBound::serves(const Wire& wire, const Passage& passage) {
  if (std::ranges::any_of(wire.units, [&](int unit) { return passage.units[unit]; })) return true;
  if (passage.comes_from(wire.into)) return true;
  return passage.leaves && (!wire.units.empty() || passage.gets_to(wire.out_of));
}

std::vector<LinkBound::Demand> LinkBound::demands(const std::vector<Passage>& passages) const {
  std::vector<Demand> result;
  for (const Passage& passage : passages) {
    Demand demand{static_cast<double>(passage.bytes), {}};
    for (const Wire& wire : wires_) demand.wires.push_back(serves(wire, passage));
    const bool served = std::find(demand.wires.begin(), demand.wires.end(), true) != demand.wires.end();
    if (served) result.push_back(std::move(demand));
  }
  return result;
}

std::int64_t LinkBound::cycles(const std::vector<Passage>& passages) const {
  double most = 0;
  for_each_set(demands(passages), [&](const std::vector<const Demand*>& set) {
    double bytes = 0, width = 0;
    std::vector<bool> used(wires_.size(), false);
    for (const Demand* demand : set) {
      bytes += demand->bytes;
      for (std::size_t w = 0; w < wires_.size(); ++w) used[w] = used[w] || demand->wires[w];
    }
    for (std::size_t w = 0; w < wires_.size(); ++w) width += used[w] ? wires_[w].width : 0;
    most = std::max(most, bytes / width);
  });
  return static_cast<std::int64_t>(std::ceil(most * (1 - 1e-12)));
}

}  // namespace accord
