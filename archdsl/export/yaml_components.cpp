#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "archdsl/export/route.h"
#include "archdsl/export/yaml.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

template <class T>
const std::string& name_at(const std::vector<T>& list, int index) {
  return list[static_cast<std::size_t>(index)].name;
}

std::string clock_text(const Architecture& a, int clock) { return yaml_scalar(name_at(a.clocks, clock)); }

std::string dram_entry(const Memory& m) {
  const Dram& dram = *m.dram;
  std::string text =
      fmt::format("dram: {{channels: {}, window: {}, write_queue: {}, interleave: {}, clock: {} Hz", m.banks,
                  dram.window, dram.write_queue, name(dram.interleave), yaml_number(dram.clock_hz));
  for (const DramFigure& figure : dram_figures())
    text +=
        fmt::format(", {}: {}{}", figure.name, dram.*figure.value, figure.unit == DramFigure::Unit::bytes ? " B" : "");
  return text + "}";
}

std::string words_entry(const Memory& m) {
  if (m.dram) return dram_entry(m);
  return fmt::format("word: {} B, banks: {}, ports: {{{}}}", m.word, m.banks,
                     m.shared_ports ? fmt::format("shared: {}", m.read_ports)
                                    : fmt::format("read: {}, write: {}", m.read_ports, m.write_ports));
}

std::string silicon_text(const Silicon& silicon) {
  return fmt::format("area: {}, static_energy: {}", yaml_number(silicon.area_um2), yaml_number(silicon.static_pj));
}

std::string memory_entry(const Architecture& a, const Memory& m) {
  return fmt::format(
      "  {}: {{kind: memory, clock: {}, off_chip: {}, capacity: {} B, {}, "
      "latency: {}, energy: {{read: {}, write: {}}}, {}}}\n",
      yaml_scalar(m.name), clock_text(a, m.clock), m.off_chip, m.capacity, words_entry(m), m.latency,
      yaml_number(m.energy.read_pj), yaml_number(m.energy.write_pj), silicon_text(m.silicon));
}

std::string link_entry(const Architecture& a, const Link& l) {
  const std::string width =
      states_bandwidth(a, l) ? fmt::format("{} B/s", bandwidth_of(a, l)) : fmt::format("{} B", l.width);
  std::string text = fmt::format(
      "  {}: {{kind: link, clock: {}, width: {}, duplex: {}, crossbar: {}, arbitration: {}, latency: {}, energy: {}, "
      "{}",
      yaml_scalar(l.name), clock_text(a, l.clock), width, l.duplex, l.crossbar, name(l.arbitration), l.latency,
      yaml_number(l.pj_per_byte), silicon_text(l.silicon));
  if (l.fifo > 0) text += fmt::format(", fifo: {} B", l.fifo);
  std::vector<std::string> ends;
  for (const std::string& end : l.between) ends.push_back(yaml_scalar(end));
  if (!ends.empty()) text += fmt::format(", between: [{}]", fmt::join(ends, ", "));
  return text + "}\n";
}

std::string step_text(const Step& step) {
  return step.kind == Step::Kind::free ? "free" : fmt::format("{} B", step.bytes);
}

/// A route that declares no walk steps freely from the innermost dimension on, which a written walk never does.
bool without_limits(const Route& r) {
  return !r.walk.empty() && r.walk[0].source.kind == Step::Kind::free && r.walk[0].target.kind == Step::Kind::free;
}

std::string walk_entry(const Route& r) {
  if (without_limits(r)) return "";
  std::vector<std::string> walk;
  for (const WalkDim& dim : r.walk) {
    walk.push_back(walk.empty() ? fmt::format("{{max: {} B}}", dim.max)
                                : fmt::format("{{max: {}, source: {}, target: {}}}", dim.max, step_text(dim.source),
                                              step_text(dim.target)));
  }
  return fmt::format(", walk: [{}]", fmt::join(walk, ", "));
}

std::string fill_entry(const Architecture& a, const Route& r) {
  std::string text;
  if (r.pad) text += fmt::format(", pad: {{value: {}, type: {}}}", yaml_number(r.pad->value), name(r.pad->type));
  if (r.gather) {
    text += fmt::format(", gather: {{index: {}, type: {}, dim: {}}}", yaml_scalar(name_at(a.memories, r.gather->index)),
                        name(r.gather->type), r.gather->dim);
  }
  return text;
}

/// Where the mover has no link of its own, its first route found the way, and will find it again.
std::string route_item(const Architecture& a, const Route& r, bool found) {
  std::vector<std::string> links, targets = {yaml_scalar(name_at(a.memories, r.target))};
  for (const int link : r.links) links.push_back(yaml_scalar(name_at(a.links, link)));
  for (const int target : r.also) targets.push_back(yaml_scalar(name_at(a.memories, target)));
  const std::string link = links.empty() || found ? "" : fmt::format(", link: [{}]", fmt::join(links, ", "));
  return fmt::format("      - {{from: {}, to: [{}]{}{}}}\n", yaml_scalar(name_at(a.memories, r.source)),
                     fmt::join(targets, ", "), link, walk_entry(r) + fill_entry(a, r));
}

std::string operand_entry(const Architecture& a, const Operand& operand, const CapabilityOperand& place) {
  std::vector<std::string> steps;
  for (const Step& step : place.steps) steps.push_back(step_text(step));
  return fmt::format("          {}: {{in: {}, steps: [{}], held: {}}}\n", yaml_scalar(operand.name),
                     yaml_scalar(name_at(a.memories, place.memory)), fmt::join(steps, ", "), place.held);
}

/// A formula that the covenant does not give has no text; only leaving it out gives it back.
std::string timing_entry(const Capability& c) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, const Formula& formula) {
    if (!formula.text().empty()) parts.push_back(fmt::format("{}: {}", key, yaml_quoted(formula.text())));
  };
  add("start", c.start);
  add("interval", c.interval);
  add("drain", c.drain);
  return parts.empty() ? "" : fmt::format("        timing: {{{}}}\n", fmt::join(parts, ", "));
}

std::string capability_entry(const Architecture& a, const Capability& c) {
  std::string text = fmt::format("      {}:\n        does:\n", yaml_scalar(c.name));
  for (const Statement& s : c.program.statements) {
    text += fmt::format("          - {}\n", yaml_quoted(to_string(c.program, s)));
  }
  std::vector<std::string> types, dims;
  for (const Operand& o : c.program.operands) {
    types.push_back(fmt::format("{}: {}", yaml_scalar(o.name), name(o.type)));
  }
  for (const CapabilityDim& d : c.dims) {
    dims.push_back(
        fmt::format("{}: {{min: {}, max: {}, multiple: {}}}", yaml_scalar(d.name), d.minimum, d.maximum, d.multiple));
  }
  text += fmt::format("        types: {{{}}}\n        dims: {{{}}}\n", fmt::join(types, ", "), fmt::join(dims, ", "));
  std::string operands;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i].memory >= 0) operands += operand_entry(a, c.program.operands[i], c.operands[i]);
  }
  text += operands.empty() ? "        operands: {}\n" : "        operands:\n" + operands;
  return text + timing_entry(c) + fmt::format("        energy: {}\n", yaml_number(c.pj_per_point));
}

std::string mover_entry(const Architecture& a, const Unit& u) {
  std::string text =
      fmt::format("    request: {} B\n    in_flight: {}\n    setup: {}\n", u.request, u.in_flight, u.setup);
  if (u.routes.empty() && u.link >= 0) text += fmt::format("    link: {}\n", yaml_scalar(name_at(a.links, u.link)));
  text += u.routes.empty() ? "    routes: []\n" : "    routes:\n";
  for (std::size_t r = 0; r < u.routes.size(); ++r) text += route_item(a, u.routes[r], r == 0 && u.link < 0);
  return text;
}

std::string controller_entry(const Architecture& a) {
  std::vector<std::string> feeds;
  for (const Unit& unit : a.units) feeds.push_back(yaml_scalar(unit.name));
  return fmt::format(
      "  {}: {{kind: controller, feeds: [{}], issue_width: {}, issue_interval: {}, latency: {}, loop_depth: {}, {}}}\n",
      yaml_scalar(a.controller.name), fmt::join(feeds, ", "), a.controller.issue_width, a.controller.issue_interval,
      a.controller.latency, a.controller.loop_depth, silicon_text(a.controller.silicon));
}

}  // namespace

std::string_view name(Arbitration arbitration) {
  static constexpr std::array<std::string_view, 3> names = {"first_come", "round_robin", "priority"};
  return names[static_cast<std::size_t>(arbitration)];
}

std::string yaml_unit(const Architecture& a, const Unit& u) {
  const bool mover = u.kind == UnitKind::mover;
  std::string text =
      fmt::format("  {}:\n    kind: {}\n    clock: {}\n    queue: {}\n    area: {}\n    static_energy: {}\n",
                  yaml_scalar(u.name), mover ? "mover" : "compute", clock_text(a, u.clock), u.queue,
                  yaml_number(u.silicon.area_um2), yaml_number(u.silicon.static_pj));
  if (mover) text += mover_entry(a, u);
  text += u.capabilities.empty() ? "    capabilities: {}\n" : "    capabilities:\n";
  for (const Capability& capability : u.capabilities) text += capability_entry(a, capability);
  return text;
}

std::string yaml_components(const Architecture& a) {
  std::string text = "\n";
  for (const Memory& memory : a.memories) text += memory_entry(a, memory);
  for (const Link& link : a.links) text += link_entry(a, link);
  for (const Unit& unit : a.units) text += yaml_unit(a, unit);
  return a.controller.name.empty() ? text : text + controller_entry(a);
}

}  // namespace accord
