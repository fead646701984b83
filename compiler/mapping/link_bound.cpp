#include "compiler/mapping/link_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/compulsory.h"

namespace accord {
namespace {

constexpr std::size_t most_demands = 12;  ///< more operands than any codelet has: all sets of them are looked at

}  // namespace

LinkBound::LinkBound(const Machine& machine, const Network& network, const Work& work)
    : machine_(machine),
      network_(network),
      work_(work),
      spread_(machine.architecture),
      distinct_(work.operands.size(), -1) {
  const auto& units = machine.architecture.units;
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const auto& route : units[u].routes) add_route(static_cast<int>(u), route);
    add_operands(static_cast<int>(u));
  }
}

bool LinkBound::off_chip(int memory) const { return memory >= 0 && machine_.architecture.memories[memory].off_chip; }

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
  const bool inwards = off_chip(route.source);
  if (inwards == off_chip(route.target)) return;
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
  for (const auto& capability : unit.capabilities) {
    const int target = capability.program.statements.back().target.operand;
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      const int memory = capability.operands[o].memory;
      if (!off_chip(memory)) continue;
      const bool inwards = static_cast<int>(o) != target;
      Wire* way = nullptr;
      if (unit.kind == UnitKind::compute) {
        const Memory& m = architecture.memories[memory];
        const int ports = inwards ? m.read_ports : m.write_ports;
        way = &wire({2, memory, inwards ? 1 : 2, -1}, per_reference_cycle(m.word, m.period) * m.banks * ports);
      } else if (unit.link >= 0) {
        way = &wire_of_link(unit.link, memory, inwards);
      } else {
        way = &wire({1, index, unit.routes.empty() ? -1 : 0, inwards ? 1 : 2},
                    unit.routes.empty() ? per_reference_cycle(unit.request, unit.period)
                                        : bytes_per_cycle(architecture, unit.routes.front()));
      }
      way->units.push_back(index);
      const int result = capability.operands[target].memory;
      if (inwards && result >= 0 && !off_chip(result)) way->into.push_back(result);
    }
  }
}

/// Types in which the operand may lie off chip: the tensor's; a constant's image may have any.
bool LinkBound::comes_from(const Wire& wire, const Use& use) const {
  const WorkOperand& operand = work_.operands[use.access.operand];
  const ElementType type = network_.tensors[operand.tensor].type;
  return std::any_of(wire.into.begin(), wire.into.end(), [&](int memory) {
    if (memory == use.memory) return true;
    return operand.constant ? spread_.reaches_in_any_type(memory, use.memory, use.type)
                            : spread_.reaches(memory, type, use.memory, use.type);
  });
}

bool LinkBound::leaves_by(const Wire& wire, const Use& use) const {
  const ElementType type = network_.tensors[work_.operands[use.access.operand].tensor].type;
  return !wire.units.empty() || std::any_of(wire.out_of.begin(), wire.out_of.end(), [&](int memory) {
    return spread_.reaches(use.memory, use.type, memory, type);
  });
}

void LinkBound::serve(Demand& demand, const Use& use, int unit) const {
  for (std::size_t w = 0; w < wires_.size(); ++w) {
    if (demand.wires[w]) continue;
    const Wire& wire = wires_[w];
    if (use.depth == 0) {
      demand.wires[w] = std::find(wire.units.begin(), wire.units.end(), unit) != wire.units.end();
    } else {
      demand.wires[w] = use.role == UseRole::output ? leaves_by(wire, use) : comes_from(wire, use);
    }
  }
}

std::vector<LinkBound::Demand> LinkBound::demands(const Mapping& assignment) const {
  std::map<int, Demand> by_operand;
  const auto images = machine_.elements.images(assignment);
  for (std::size_t u = 0; u < assignment.uses.size(); ++u) {
    const Use& use = assignment.uses[u];
    if (use.filled || use.role == UseRole::accumulator || use.access.operand < 0) continue;
    if (work_.operands[use.access.operand].tensor == no_tensor || !off_chip(use.home)) continue;
    Demand& demand = by_operand[use.access.operand];
    demand.wires.resize(wires_.size(), false);
    demand.bytes = static_cast<double>(bytes_of(use));
    for (const auto& image : images) serve(demand, image.uses[u], image.steps[use.step].match.unit);
  }
  std::vector<Demand> result;
  for (auto& [operand, demand] : by_operand) {
    if (std::find(demand.wires.begin(), demand.wires.end(), true) != demand.wires.end()) result.push_back(demand);
  }
  if (result.size() > most_demands) result.resize(most_demands);
  return result;
}

/// Once for each operand: assignments differ in much, not in these.
std::int64_t LinkBound::bytes_of(const Use& use) const {
  std::int64_t& bytes = distinct_[use.access.operand];
  if (bytes < 0) bytes = distinct_bytes(network_, work_, use.access.operand);
  return bytes;
}

std::int64_t LinkBound::cycles(const Mapping& assignment) const {
  const auto all = demands(assignment);
  double most = 0;
  for (std::size_t set = 1; set < std::size_t{1} << all.size(); ++set) {
    double bytes = 0, width = 0;
    std::vector<bool> used(wires_.size(), false);
    for (std::size_t d = 0; d < all.size(); ++d) {
      if ((set >> d & 1) == 0) continue;
      bytes += all[d].bytes;
      for (std::size_t w = 0; w < wires_.size(); ++w) used[w] = used[w] || all[d].wires[w];
    }
    for (std::size_t w = 0; w < wires_.size(); ++w) width += used[w] ? wires_[w].width : 0;
    most = std::max(most, bytes / width);
  }
  return static_cast<std::int64_t>(std::ceil(most * (1 - 1e-12)));
}

}  // namespace accord
