#include "archdsl/export/ipxact_netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "archdsl/export/names.h"
#include "archdsl/export/operand_use.h"
#include "archdsl/export/route.h"

namespace accord {

namespace {

/// `spad` for `core[2].spad`: ports of alike components get equal names.
std::string short_name(const std::string& name) { return identifier_of(parts_of(name).back().name); }

}  // namespace

std::string describe(PartKind kind) {
  static constexpr std::array<const char*, 5> names = {"memory", "link", "mover", "compute", "controller"};
  return names[static_cast<std::size_t>(kind)];
}

Netlist::Netlist(const Architecture& a) : architecture_(a) {
  const auto add = [&](PartKind kind, std::size_t index, const std::string& name) {
    parts_.push_back({kind, static_cast<int>(index), name, {}, {}});
  };
  for (std::size_t i = 0; i < a.memories.size(); ++i) add(PartKind::memory, i, a.memories[i].name);
  for (std::size_t i = 0; i < a.links.size(); ++i) add(PartKind::link, i, a.links[i].name);
  for (std::size_t i = 0; i < a.units.size(); ++i) {
    add(a.units[i].kind == UnitKind::mover ? PartKind::mover : PartKind::compute, i, a.units[i].name);
  }
  add(PartKind::controller, 0, a.controller.name);
  names_.resize(parts_.size());
  unit_ports_.resize(a.units.size());
  first_ports_.resize(a.units.size());
  for (int unit = 0; unit < static_cast<int>(a.units.size()); ++unit) add_unit(unit);
}

void Netlist::add_unit(int unit) {
  const Unit& u = architecture_.units[static_cast<std::size_t>(unit)];
  const int controller = static_cast<int>(parts_.size()) - 1;
  const std::string to = add_port(unit_part(unit), "instructions", BusMode::slave, true);
  connections_.push_back(
      {controller, add_port(controller, short_name(u.name), BusMode::master, true), unit_part(unit), to});
  for (const Route& route : u.routes) {
    reach(unit, source_way(route));
    reach(unit, target_way(route, route.target));
    for (const int target : route.also) reach(unit, target_way(route, target));
    if (route.gather && !first_ports_[static_cast<std::size_t>(unit)].contains(route.gather->index)) {
      reach(unit, {route.gather->index, {}});
    }
  }
  for (const Capability& c : u.capabilities) {
    for (const CapabilityOperand& operand : c.operands) {
      const bool known = first_ports_[static_cast<std::size_t>(unit)].contains(operand.memory);
      if (operand.memory >= 0 && !known) reach(unit, operand_way(u, operand.memory));
    }
  }
}

void Netlist::reach(int unit, const Way& way) {
  auto& ports = unit_ports_[static_cast<std::size_t>(unit)];
  if (ports.contains(way)) return;
  const std::string& memory = architecture_.memories[static_cast<std::size_t>(way.first)].name;
  const std::string port = add_port(unit_part(unit), short_name(memory), BusMode::master);
  ports[way] = port;
  first_ports_[static_cast<std::size_t>(unit)].emplace(way.first, port);
  lead(unit_part(unit), port, way);
}

/// Joins a port to a memory, by way of channels of the links between. A channel leads on only once.
void Netlist::lead(int part, const std::string& port, const Way& way) {
  if (way.second.empty()) {
    const std::string& from = parts_[static_cast<std::size_t>(part)].name;
    connections_.push_back({part, port, way.first, add_port(way.first, short_name(from), BusMode::slave)});
    return;
  }
  const int link = link_part(way.second.front());
  const std::string& memory = architecture_.memories[static_cast<std::size_t>(way.first)].name;
  const std::string in =
      add_port(link, short_name(parts_[static_cast<std::size_t>(part)].name), BusMode::mirrored_master);
  connections_.push_back({part, port, link, in});
  auto& channels = parts_[static_cast<std::size_t>(link)].channels;
  const auto [found, fresh] = channels_.emplace(way, channels.size());
  if (!fresh) {
    channels[found->second].ports.push_back(in);
    return;
  }
  const std::string out = add_port(link, short_name(memory), BusMode::mirrored_slave);
  channels.push_back({fmt::format("to_{}", out), {out, in}});
  lead(link, out, {way.first, {way.second.begin() + 1, way.second.end()}});
}

std::string Netlist::add_port(int part, std::string name, BusMode mode, bool instructions) {
  auto& used = names_[static_cast<std::size_t>(part)];
  const std::string asked = name;
  for (int count = ++used[asked]; count > 1 && used.contains(name = fmt::format("{}_{}", asked, count));) {
    count = ++used[asked];
  }
  used.emplace(name, 1);
  parts_[static_cast<std::size_t>(part)].ports.push_back({name, mode, instructions});
  return name;
}

/// Links stand on the off-chip side of the unit, else on the writing side.
Netlist::Way Netlist::source_way(const Route& route) const {
  std::vector<int> links = route.links;
  if (!architecture_.memories[static_cast<std::size_t>(route.source)].off_chip) links.clear();
  std::reverse(links.begin(), links.end());
  return {route.source, links};
}

Netlist::Way Netlist::target_way(const Route& route, int target) const {
  const bool on_source = architecture_.memories[static_cast<std::size_t>(route.source)].off_chip;
  return {target, on_source ? std::vector<int>() : route.links};
}

Netlist::Way Netlist::operand_way(const Unit& unit, int memory) const {
  const bool over_link = unit.link >= 0 && architecture_.memories[static_cast<std::size_t>(memory)].off_chip;
  return {memory, over_link ? std::vector<int>{unit.link} : std::vector<int>()};
}

const std::string& Netlist::source_port(int unit, const Route& route) const {
  return unit_ports_[static_cast<std::size_t>(unit)].at(source_way(route));
}

const std::string& Netlist::target_port(int unit, const Route& route, int target) const {
  return unit_ports_[static_cast<std::size_t>(unit)].at(target_way(route, target));
}

const std::string& Netlist::operand_port(int unit, int memory) const {
  return first_ports_[static_cast<std::size_t>(unit)].at(memory);
}

}  // namespace accord
