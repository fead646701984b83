#include <fmt/format.h>

#include <set>
#include <utility>

#include "archdsl/export/show.h"

namespace accord {

namespace {

std::string human(std::int64_t bytes) {
  static constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(units) && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

/// Names are identifiers (the loader sees to it), so they need no escaping.
std::string node(const std::string& name, std::string_view shape, const std::string& detail) {
  return fmt::format("  {} [shape={}, label=\"{}\\n{}\"];\n", name, shape, name, detail);
}

std::string edge(const std::string& from, const std::string& to, std::string_view attributes) {
  return fmt::format("  {} -> {} [{}];\n", from, to, attributes);
}

std::string nodes(const Architecture& a) {
  std::string text;
  for (const Memory& m : a.memories) {
    const std::string banks = m.banks > 1 ? fmt::format(", {} banks", m.banks) : "";
    text += node(m.name, m.off_chip ? "cylinder" : "box",
                 fmt::format("{}{}\\n{} B words", human(m.capacity), banks, m.word));
  }
  for (const Link& l : a.links) {
    text += node(l.name, "hexagon", fmt::format("{} B/cycle{}", l.width, l.duplex ? " each way" : ""));
  }
  for (const Unit& u : a.units) {
    std::vector<std::string> names;
    for (const Capability& c : u.capabilities) names.push_back(c.name);
    text += node(u.name, u.kind == UnitKind::mover ? "parallelogram" : "component",
                 fmt::format("{}", fmt::join(names, "\\n")));
  }
  return text + node(a.controller.name, "oval", fmt::format("{} per cycle", a.controller.issue_width));
}

/// What a unit's routes and capabilities read and write, each memory once per direction.
std::string unit_edges(const Architecture& a, const Unit& u) {
  std::set<std::pair<int, std::string_view>> reads, writes;
  for (const Route& r : u.routes) {
    reads.emplace(r.source, "color=blue");
    writes.emplace(r.target, "color=blue");
  }
  for (const Capability& c : u.capabilities) {
    const auto memory = [&](int operand) { return c.operands[static_cast<std::size_t>(operand)].memory; };
    for (const Statement& s : c.program.statements) {
      writes.emplace(memory(s.target.operand), "color=black");
      for (const Access& access : s.accesses) reads.emplace(memory(access.operand), "color=black");
    }
  }
  const auto name = [&](int memory) -> const std::string& { return a.memories[static_cast<std::size_t>(memory)].name; };
  std::string text;
  for (const auto& [memory, attributes] : reads) {
    if (memory >= 0) text += edge(name(memory), u.name, attributes);
  }
  for (const auto& [memory, attributes] : writes) {
    if (memory >= 0) text += edge(u.name, name(memory), attributes);
  }
  return text;
}

}  // namespace

std::string to_dot(const Architecture& a) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=LR;\n  node [fontname=\"Helvetica\"];\n", a.name);
  text += nodes(a);
  for (const Unit& u : a.units) {
    text += unit_edges(a, u);
    std::set<int> links;
    for (const Route& r : u.routes) links.insert(r.link);
    for (const int link : links) {
      if (link >= 0) text += edge(u.name, a.links[static_cast<std::size_t>(link)].name, "style=dashed, dir=none");
    }
    text += edge(a.controller.name, u.name, "style=dotted");
  }
  return text + "}\n";
}

}  // namespace accord
