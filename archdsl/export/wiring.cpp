#include "archdsl/export/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "archdsl/export/yaml.h"

namespace accord {

namespace {

constexpr std::size_t most_capability_lines = 8;

DrawnComponent drawn(const Memory& m) {
  DrawnComponent c{m.off_chip ? DrawnShape::off_chip_memory : DrawnShape::memory, m.name, {bytes_text(m.capacity)}, ""};
  const char* const bank = m.off_chip ? "channel" : "bank";
  c.details.push_back(m.banks > 1 ? fmt::format("{} {}s × {}", m.banks, bank, bytes_text(m.word))
                                  : fmt::format("1 {} × {}", bank, bytes_text(m.word)));
  if (m.read_ports > 1 || m.write_ports > 1) c.details.push_back(fmt::format("{}R {}W", m.read_ports, m.write_ports));
  c.likeness = fmt::format("{} {} {} {}", m.latency, m.energy.read_pj, m.energy.write_pj, m.area_um2);
  return c;
}

DrawnComponent drawn(const Link& l) {
  DrawnComponent c{
      DrawnShape::link, l.name, {fmt::format("{}{}", bytes_text(l.width), l.duplex ? " each way" : "")}, ""};
  c.likeness = fmt::format("{} {}", l.latency, l.pj_per_byte);
  return c;
}

std::string likeness_of(const Unit& u) {
  std::string text = fmt::format("{} {} {} {} {}", u.queue, u.request, u.in_flight, u.setup, u.area_um2);
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
    for (const Capability& c : unit.capabilities) add_capability(c);
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

  void add_route(const Route& r) {
    const std::int64_t narrow = std::min(memory(r.source).word, memory(r.target).word);
    if (r.link < 0) {
      flow(r.source, self_, narrow);
      flow(self_, r.target, narrow);
      return;
    }
    const int link = static_cast<int>(a_.memories.size()) + r.link;
    const std::int64_t width = a_.links[static_cast<std::size_t>(r.link)].width;
    const bool on_source_side = memory(r.source).off_chip;
    if (on_source_side) flow(r.source, link, width);
    flow(on_source_side ? link : r.source, self_, on_source_side ? width : memory(r.source).word);
    flow(self_, on_source_side ? r.target : link, on_source_side ? memory(r.target).word : width);
    if (!on_source_side) flow(link, r.target, width);
  }

  /// Accumulating into an operand reads it, unless the capability itself assigned it before.
  void add_capability(const Capability& c) {
    std::set<int> assigned;
    for (const Statement& s : c.program.statements) {
      for (const Access& access : s.accesses) {
        if (!assigned.contains(access.operand)) add_operand(c, access, true);
      }
      if (s.reduction != Reduction::assign && !assigned.contains(s.target.operand)) add_operand(c, s.target, true);
      add_operand(c, s.target, false);
      assigned.insert(s.target.operand);
    }
  }

  /// On a mover an operand takes the way that a route to its memory takes, if there is one.
  void add_operand(const Capability& c, const Access& access, bool reads) {
    const int place = c.operands[static_cast<std::size_t>(access.operand)].memory;
    if (place < 0 || joined_by_link(place, reads)) return;
    reads ? flow(place, self_, memory(place).word) : flow(self_, place, memory(place).word);
  }

  bool joined_by_link(int place, bool reads) {
    for (std::size_t l = 0; l < a_.links.size(); ++l) {
      const int link = static_cast<int>(a_.memories.size() + l);
      const bool to_memory = wires_.contains({place, link}) || wires_.contains({link, place});
      if (!to_memory || !(wires_.contains({self_, link}) || wires_.contains({link, self_}))) continue;
      reads ? flow(place, link, a_.links[l].width) : flow(link, place, a_.links[l].width);
      reads ? flow(link, self_, a_.links[l].width) : flow(self_, link, a_.links[l].width);
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
  for (const Link& link : a.links) wiring.components.push_back(drawn(link));
  WireCollector collector(a);
  const int first_unit = static_cast<int>(wiring.components.size());
  for (const Unit& unit : a.units) {
    collector.add(unit, static_cast<int>(wiring.components.size()));
    wiring.components.push_back(drawn(unit));
  }
  wiring.wires = collector.take();
  const int controller = static_cast<int>(wiring.components.size());
  wiring.components.push_back(
      {DrawnShape::controller, a.controller.name, {fmt::format("issues {} per cycle", a.controller.issue_width)}, ""});
  for (int unit = first_unit; unit < controller; ++unit) {
    wiring.wires.push_back({controller, unit, true, true, false, 0});
  }
  return wiring;
}

}  // namespace accord
