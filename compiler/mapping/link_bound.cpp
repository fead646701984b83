#include "compiler/mapping/link_bound.h"

#include <algorithm>
#include <cmath>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/compulsory.h"

namespace accord {
namespace {

constexpr std::size_t most_demands = 12;  ///< more operands than any codelet has: all sets of them are looked at

/// reach[a][b]: something leads from memory a to memory b, on a route or through a capability.
std::vector<std::vector<bool>> reach_of(const Architecture& architecture) {
  const std::size_t count = architecture.memories.size();
  std::vector<std::vector<bool>> reach(count, std::vector<bool>(count, false));
  for (std::size_t m = 0; m < count; ++m) reach[m][m] = true;
  for (const auto& unit : architecture.units) {
    for (const auto& route : unit.routes) {
      reach[route.source][route.target] = true;
      for (const int also : route.also) reach[route.source][also] = true;
    }
    for (const auto& capability : unit.capabilities) {
      const int target = capability.operands[capability.program.statements.back().target.operand].memory;
      for (const auto& operand : capability.operands) {
        if (operand.memory >= 0 && target >= 0) reach[operand.memory][target] = true;
      }
    }
  }
  // Data that went off chip again would pass the wires once more.
  for (std::size_t via = 0; via < count; ++via) {
    if (architecture.memories[via].off_chip) continue;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) reach[a][b] = reach[a][b] || (reach[a][via] && reach[via][b]);
    }
  }
  return reach;
}

}  // namespace

LinkBound::LinkBound(const Machine& machine, const Network& network, const Work& work)
    : machine_(machine), network_(network), work_(work), reach_(reach_of(machine.architecture)) {
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

void LinkBound::serve(Demand& demand, const Use& use, int unit) const {
  for (std::size_t w = 0; w < wires_.size(); ++w) {
    const Wire& wire = wires_[w];
    bool serves = false;
    if (use.depth == 0) {
      serves = std::find(wire.units.begin(), wire.units.end(), unit) != wire.units.end();
    } else if (use.role == UseRole::output) {
      serves = std::any_of(wire.out_of.begin(), wire.out_of.end(), [&](int m) { return reach_[use.memory][m]; });
      serves = serves || !wire.units.empty();
    } else {
      serves = std::any_of(wire.into.begin(), wire.into.end(), [&](int m) { return reach_[m][use.memory]; });
    }
    if (serves) demand.wires[w] = true;
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
    Access own = use.access;  // repeated lanes beyond the tensor's rank are no bytes of it
    own.indices.resize(network_.tensors[work_.operands[use.access.operand].tensor].shape.size());
    demand.bytes = std::max(demand.bytes, static_cast<double>(distinct_bytes(network_, work_, own)));
    for (const auto& image : images) {
      serve(demand, image.uses[u], image.steps[use.step].match.unit);
    }
  }
  std::vector<Demand> result;
  for (auto& [operand, demand] : by_operand) {
    if (std::find(demand.wires.begin(), demand.wires.end(), true) != demand.wires.end()) result.push_back(demand);
  }
  if (result.size() > most_demands) result.resize(most_demands);
  return result;
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
