#include "archdsl/export/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "archdsl/export/operand_use.h"
#include "archdsl/export/route.h"
#include "archdsl/graph/rates.h"

namespace accord {

namespace {

constexpr std::size_t most_capability_lines = 8;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

DrawnComponent drawn(const Memory& m) {
  DrawnComponent c{m.off_chip ? DrawnShape::off_chip_memory : DrawnShape::memory, m.name, {bytes_text(m.capacity)}, ""};
  const char* const bank = m.off_chip ? "channel" : "bank";
  c.details.push_back(m.banks > 1 ? fmt::format("{} {}s × {}", m.banks, bank, bytes_text(m.word))
                                  : fmt::format("1 {} × {}", bank, bytes_text(m.word)));
  if (m.shared_ports) c.details.push_back(fmt::format("{}RW", m.read_ports));
  if (!m.shared_ports && (m.read_ports > 1 || m.write_ports > 1))
    c.details.push_back(fmt::format("{}R {}W", m.read_ports, m.write_ports));
  c.likeness = fmt::format("{} {} {} {} {}", m.latency, m.energy.read_pj, m.energy.write_pj, m.silicon.area_um2,
                           m.silicon.static_pj);
  return c;
}

DrawnComponent drawn(const Architecture& a, const Link& l) {
  DrawnComponent c{DrawnShape::link, l.name, {fmt::format("{}{}", width_text(a, l), l.duplex ? " each way" : "")}, ""};
  c.likeness = fmt::format("{} {} {} {} {} {} {}", l.latency, l.pj_per_byte, static_cast<int>(l.arbitration),
                           l.crossbar, l.fifo, l.silicon.area_um2, l.silicon.static_pj);
  return c;
}

std::string likeness_of(const Unit& u) {
  std::string text = fmt::format("{} {} {} {} {} {}", u.queue, u.request, u.in_flight, u.setup, u.silicon.area_um2,
                                 u.silicon.static_pj);
  for (const Capability& c : u.capabilities) {
    text += fmt::format(" {} {} {} {}", c.name, c.start.text(), c.interval.text(), c.drain.text());
    for (const CapabilityDim& d : c.dims) text += fmt::format(" {} {} {} {}", d.name, d.minimum, d.maximum, d.multiple);
  }
  return text;
}

DrawnComponent drawn(const Unit& u) {
  DrawnComponent c{u.kind == UnitKind::mover ? DrawnShape::mover : DrawnShape::compute, u.name, {}, likeness_of(u)};
  if (u.kind == UnitKind::mover)
    c.details.push_back(
        fmt::format("{} {} × {}", u.in_flight, u.in_flight == 1 ? "request" : "requests", bytes_text(u.request)));
  for (const Capability& capability : u.capabilities) {
    if (c.details.size() >= most_capability_lines) {
      c.details.push_back(fmt::format("… {} capabilities", u.capabilities.size()));
      break;
    }
    c.details.push_back(capability.name);
  }
  return c;
}

/// Collects wires, one per pair of components.
class WireCollector {
 public:
  explicit WireCollector(const Architecture& a) : a_(a) {}

  void add(const Unit& unit, int self) {
    self_ = self;
    for (const Route& route : unit.routes) add_route(route);
    for (const Capability& c : unit.capabilities) add_capability(unit, c);
  }

  std::vector<DrawnWire> take() {
    std::vector<DrawnWire> wires;
    for (auto& [ends, wire] : wires_) wires.push_back(wire);
    return wires;
  }

 private:
  const Memory& memory(int index) const { return a_.memories[static_cast<std::size_t>(index)]; }

  /// Data moves from one component to another.
  void flow(int from, int to, std::int64_t width) {
    const auto turned = wires_.find({to, from});
    if (turned != wires_.end()) {
      turned->second.backward = true;
      turned->second.width = std::max(turned->second.width, width);
      return;
    }
    DrawnWire& wire = wires_[{from, to}];
    wire.from = from;
    wire.to = to;
    wire.forward = true;
    wire.width = std::max(wire.width, width);
  }

  void flow_along(std::span<const int> way, std::int64_t most) {
    for (std::size_t hop = 0; hop + 1 < way.size(); ++hop) {
      flow(way[hop], way[hop + 1], std::min({most, width_of(way[hop]), width_of(way[hop + 1])}));
    }
  }

  std::vector<int> drawn_links(const Route& route) const {
    std::vector<int> links = route.links;
    for (int& link : links) link += static_cast<int>(a_.memories.size());
    return links;
  }

  /// From end to end; the mover stands on the chip's side of the links.
  void add_route(const Route& r) {
    if (r.gather) flow(r.gather->index, self_, memory(r.gather->index).word);
    std::vector<int> way = drawn_links(r);
    const std::int64_t narrow = std::min(memory(r.source).word, memory(r.target).word);
    const std::int64_t most = way.empty() ? narrow : unlimited;
    const auto on_link = way.empty() || !memory(r.source).off_chip ? way.begin() : way.end();
    way.insert(on_link, self_);
    way.insert(way.begin(), r.source);
    way.push_back(r.target);
    flow_along(way, most);
    for (const int also : r.also)
      flow(way[way.size() - 2], also, std::min(memory(also).word, width_of(way[way.size() - 2])));
  }

  /// What a component passes per cycle: a link its width, a memory's port a word; a mover does not limit.
  std::int64_t width_of(int component) const {
    const auto index = static_cast<std::size_t>(component);
    if (index < a_.memories.size()) return a_.memories[index].word;
    const std::size_t link = index - a_.memories.size();
    return link < a_.links.size() ? accord::width_of(a_, a_.links[link]) : unlimited;
  }

  void add_capability(const Unit& unit, const Capability& c) {
    const OperandUse use = operand_use(c);
    for (const int operand : use.reads) add_operand(unit, c, operand, true);
    for (const int operand : use.writes) add_operand(unit, c, operand, false);
  }

  /// On a mover an operand takes the way that a route to its memory takes, if there is one.
  void add_operand(const Unit& unit, const Capability& c, int operand, bool reads) {
    const int place = c.operands[static_cast<std::size_t>(operand)].memory;
    if (goes_along_route(unit, place, reads) || joined_by_link(place, reads)) return;
    reads ? flow(place, self_, memory(place).word) : flow(self_, place, memory(place).word);
  }

  /// The way of the mover's capabilities off chip, where it begins or ends at the memory.
  bool goes_along_route(const Unit& unit, int place, bool reads) {
    const Route* const route = capability_route(unit);
    if (route == nullptr || !memory(place).off_chip || (route->source != place && route->target != place)) return false;
    std::vector<int> way = drawn_links(*route);
    if (route->source != place) std::ranges::reverse(way);
    way.insert(way.begin(), place);
    way.push_back(self_);
    if (!reads) std::ranges::reverse(way);
    flow_along(way, unlimited);
    return true;
  }

  bool joined_by_link(int place, bool reads) {
    for (std::size_t l = 0; l < a_.links.size(); ++l) {
      const int link = static_cast<int>(a_.memories.size() + l);
      const bool to_memory = wires_.contains({place, link}) || wires_.contains({link, place});
      if (!to_memory || !(wires_.contains({self_, link}) || wires_.contains({link, self_}))) continue;
      reads ? flow(place, link, accord::width_of(a_, a_.links[l]))
            : flow(link, place, accord::width_of(a_, a_.links[l]));
      reads ? flow(link, self_, accord::width_of(a_, a_.links[l]))
            : flow(self_, link, accord::width_of(a_, a_.links[l]));
      return true;
    }
    return false;
  }

  const Architecture& a_;
  int self_ = -1;
  std::map<std::pair<int, int>, DrawnWire> wires_;
};

}  // namespace

std::string describe(DrawnShape shape) {
  static constexpr std::array<const char*, 6> names = {"off-chip memory", "on-chip memory", "link",
                                                       "mover (DMA)",     "compute unit",   "controller"};
  return names[static_cast<std::size_t>(shape)];
}

std::string width_text(const Architecture& architecture, const Link& link) {
  return states_bandwidth(architecture, link) ? fmt::format("{:.4g} B", bytes_per_cycle(link)) : bytes_text(link.width);
}

std::string bytes_text(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

Wiring wiring_of(const Architecture& a) {
  Wiring wiring;
  for (const Memory& memory : a.memories) wiring.components.push_back(drawn(memory));
  for (const Link& link : a.links) wiring.components.push_back(drawn(a, link));
  WireCollector collector(a);
  const int first_unit = static_cast<int>(wiring.components.size());
  for (const Unit& unit : a.units) {
    collector.add(unit, static_cast<int>(wiring.components.size()));
    wiring.components.push_back(drawn(unit));
  }
  wiring.wires = collector.take();
  const int controller = static_cast<int>(wiring.components.size());
  wiring.components.push_back(
      {DrawnShape::controller,
       a.controller.name,
       {a.controller.issue_interval == 1
            ? fmt::format("issues {} per cycle", a.controller.issue_width)
            : fmt::format("issues {} every {} cycles", a.controller.issue_width, a.controller.issue_interval)},
       ""});
  for (int unit = first_unit; unit < controller; ++unit) {
    wiring.wires.push_back({controller, unit, true, true, false, 0});
  }
  return wiring;
}

}  // namespace accord
