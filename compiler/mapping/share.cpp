#include <algorithm>
#include <numeric>
#include <set>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/split.h"

namespace accord {
namespace {

void slow_down(Period& period, std::int64_t times, std::int64_t by) {
  period.numerator *= times;
  period.denominator *= by;
  const std::int64_t common = std::gcd(period.numerator, period.denominator);
  period.numerator /= common;
  period.denominator /= common;
}

/// The way's beats as one of several users sees them.
void share_way(Period& period, std::int64_t users) {
  if (users > 1) slow_down(period, users * asked, served);
}

/// Units, hops and memories that a part uses.
struct Footing {
  std::set<int> units, memories, links;
  std::set<std::pair<int, int>> hops;
};

Footing footing_of(const Architecture& architecture, const Site& site) {
  Footing footing;
  for (const auto& [index, capability] : site.steps) {
    const Unit& unit = architecture.units[index];
    footing.units.insert(index);
    if (unit.kind == UnitKind::mover && unit.link >= 0) footing.links.insert(unit.link);
    for (const auto& operand : unit.capabilities[capability].operands) {
      if (operand.memory >= 0) footing.memories.insert(operand.memory);
    }
  }
  for (const auto& use : site.uses) {
    for (const auto& hop : use.hops) {
      const Route& route = architecture.units[hop.unit].routes[hop.route];
      footing.units.insert(hop.unit);
      footing.hops.insert({hop.unit, hop.route});
      footing.memories.insert(route.source);
      if (route.also.empty()) footing.memories.insert(route.target);  // else the part's own is one of several
      footing.links.insert(route.links.begin(), route.links.end());
    }
  }
  return footing;
}

/// How many parts use each.
std::map<int, std::int64_t> count(const std::vector<Footing>& footings, std::set<int> Footing::*what) {
  std::map<int, std::int64_t> users;
  for (const auto& footing : footings) {
    for (const int id : footing.*what) ++users[id];
  }
  return users;
}

/// Cuts what the parts share down to one part's share of it.
class Sharing {
 public:
  Sharing(Architecture& architecture, const std::vector<const Site*>& parts)
      : architecture_(architecture), parts_(parts) {
    for (const Site* part : parts) footings_.push_back(footing_of(architecture, *part));
  }

  /// The parts that use each memory.
  std::vector<std::int64_t> run() {
    for (const auto& [unit, users] : count(footings_, &Footing::units)) {
      if (users > 1) share_unit(unit, users);
    }
    memory_users_ = count(footings_, &Footing::memories);
    for (const auto& [link, users] : count(footings_, &Footing::links)) {
      share_way(architecture_.links[link].period, users);
    }
    for (const auto& footing : footings_) {
      for (const auto& [unit, route] : footing.hops) share_ports(architecture_.units[unit].routes[route]);
    }
    for (const auto& [memory, users] : memory_users_) share_dram(architecture_.memories[memory], users);
    serve_alike();
    if (parts_.size() > 1) share_controller(static_cast<int>(parts_.size()));
    std::vector<std::int64_t> parts(architecture_.memories.size(), 1);
    for (const auto& [memory, users] : memory_users_) parts[memory] = users;
    return parts;
  }

 private:
  void share_controller(int users) {
    Controller& controller = architecture_.controller;
    controller.issue_interval = std::max(controller.issue_interval, 1) * users;
  }

  /// A mover's private wires are shared with it; a compute unit takes turns.
  void share_unit(int index, std::int64_t users) {
    Unit& unit = architecture_.units[index];
    if (unit.kind == UnitKind::compute) slow_down(unit.period, users, 1);
    for (auto& route : unit.routes) {
      if (!route.links.empty()) continue;
      Link wire = private_wire(architecture_, route);
      share_way(wire.period, users);
      add_link(route, wire);
    }
  }

  /// Each part has its share of the clocks; a first word comes no later, and while one part waits for a row to be
  /// closed and opened the others are served.
  void share_dram(Memory& memory, std::int64_t users) {
    if (!memory.dram || users < 2) return;
    Dram& part = *memory.dram;
    slow_down(part.period, users, 1);
    part.burst_period = part.make_burst_period();
    part.sharers *= users;
    for (const auto time : {&Dram::cl, &Dram::rp, &Dram::rcd}) part.*time /= users;
  }

  /// Ports of an off-chip memory that cannot serve all parts at their links' rate, as a link that all of a part's
  /// routes pass.
  void share_ports(Route& route) {
    for (const int end : {route.source, route.target}) {
      const Memory& memory = architecture_.memories[end];
      const std::int64_t users = memory_users_[end];
      if (!memory.off_chip || memory.dram || users < 2) continue;
      const int ports = end == route.source ? memory.read_ports : memory.write_ports;
      Link wire;
      wire.width = memory.word * memory.banks * ports;
      wire.clock = memory.clock;
      wire.period = word_period(memory);
      share_way(wire.period, users);
      if (bytes_per_cycle(wire) >= bytes_per_cycle(architecture_, route)) continue;
      const auto [at, fresh] = ports_.try_emplace({end, end == route.source}, architecture_.links.size());
      if (fresh) architecture_.links.push_back(wire);
      route.links.push_back(static_cast<int>(at->second));
      route.backward.push_back(false);
    }
  }

  void add_link(Route& route, const Link& link) {
    route.links.push_back(static_cast<int>(architecture_.links.size()));
    route.backward.push_back(false);
    architecture_.links.push_back(link);
  }

  /// The parts have equal work, so that the slowest element's way to memory decides: the first one gets no better.
  void serve_alike() {
    const auto& uses = parts_.front()->uses;
    for (std::size_t u = 0; u < uses.size(); ++u) {
      for (std::size_t h = 0; h < uses[u].hops.size(); ++h) {
        for (const Site* part : parts_) match(route_of(uses[u].hops[h]), route_of(part->uses[u].hops[h]));
      }
    }
  }

  void match(Route& mine, const Route& other) {
    if (other.links.empty()) return;
    if (bytes_per_cycle(architecture_, other) >= bytes_per_cycle(architecture_, mine)) return;
    const int narrowest = *std::min_element(other.links.begin(), other.links.end(), [&](int a, int b) {
      return bytes_per_cycle(architecture_.links[a]) < bytes_per_cycle(architecture_.links[b]);
    });
    const Link link = architecture_.links[narrowest];
    add_link(mine, link);
  }

  Route& route_of(const Hop& hop) { return architecture_.units[hop.unit].routes[hop.route]; }

  Architecture& architecture_;
  const std::vector<const Site*>& parts_;
  std::vector<Footing> footings_;
  std::map<int, std::int64_t> memory_users_;
  std::map<std::pair<int, bool>, std::size_t> ports_;  ///< links that stand for a memory's ports, read or written
};

}  // namespace

SharedMachine::SharedMachine(const Machine& whole, const std::vector<const Site*>& parts)
    : architecture_(whole.architecture), machine_(whole, architecture_, Sharing(architecture_, parts).run()) {}

const Machine& SharedMachines::of(const Mapping& mapping) {
  if (part_count(mapping) < 2) return whole_;
  const std::vector<const Site*> parts = part_sites(whole_, mapping);
  std::vector<int> key;
  for (const Site* part : {parts.front(), parts.back()}) {
    const Footing footing = footing_of(whole_.architecture, *part);
    key.push_back(static_cast<int>(parts.size()));
    key.insert(key.end(), footing.units.begin(), footing.units.end());
    for (const auto& [unit, route] : footing.hops) key.insert(key.end(), {unit, route});
  }
  auto& made = made_[key];
  if (!made) made = std::make_unique<SharedMachine>(whole_, parts);
  return made->machine();
}

const std::vector<SharedTiles>& SharedMachines::reading(const Mapping& mapping, std::size_t use) {
  Readers readers = {&whole_.elements.sites(mapping),
                     {static_cast<std::int64_t>(use), static_cast<std::int64_t>(mapping.uses[use].role)}};
  for (const auto& loop : mapping.spatial) {
    const bool counts = tells_apart(mapping.uses[use], loop);
    readers.second.insert(readers.second.end(), {turns(mapping, loop), loop.step, counts ? 1 : 0});
  }
  const auto [at, fresh] = readings_.try_emplace(std::move(readers));
  if (fresh) at->second = typical(readings_of(whole_, mapping, use));
  return at->second;
}

}  // namespace accord
