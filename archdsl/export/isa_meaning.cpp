#include <fmt/format.h>

#include <set>

#include "archdsl/export/isa_manual.h"
#include "archdsl/export/markdown.h"
#include "archdsl/export/route.h"
#include "archdsl/export/wiring.h"
#include "archdsl/export/yaml.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

const Unit& unit_of(const Architecture& a, const Mnemonic& m) { return a.units[static_cast<std::size_t>(m.unit)]; }
const Route& route_of(const Architecture& a, const Mnemonic& m) {
  return unit_of(a, m).routes[static_cast<std::size_t>(m.route)];
}
const Capability& capability_of(const Architecture& a, const Mnemonic& m) {
  return unit_of(a, m).capabilities[static_cast<std::size_t>(m.capability)];
}
const Memory& memory(const Architecture& a, int index) { return a.memories[static_cast<std::size_t>(index)]; }

std::string step_words(const Step& step, const std::string& argument) {
  return step.kind == Step::Kind::free ? md_code(argument) : fmt::format("{} B", step.bytes);
}

std::string transfer_words(const Architecture& a, const Mnemonic& m) {
  const Route& r = route_of(a, m);
  const std::string from = memory(a, r.source).name, to = memory(a, r.target).name;
  std::string text = fmt::format("The mover {} copies bytes from {} to {}: `n0` contiguous bytes",
                                 md_code(unit_of(a, m).name), md_code(from), md_code(to));
  for (std::size_t d = 1; d < r.walk.size(); ++d) {
    text += fmt::format(", `n{}` times at steps of {} in {} and {} in {}", d,
                        step_words(r.walk[d].source, fmt::format("src.stride{}", d)), md_code(from),
                        step_words(r.walk[d].target, fmt::format("dst.stride{}", d)), md_code(to));
  }
  for (const int also : r.also) text += fmt::format("; the same to {}", md_code(memory(a, also).name));
  return text + ".";
}

std::string operand_row(const Architecture& a, const Operand& o, const CapabilityOperand& place) {
  if (place.memory < 0) return fmt::format("- {}: scalar, {}\n", md_code(o.name), md_code(name(o.type)));
  std::vector<std::string> steps;
  for (std::size_t p = 0; p < place.steps.size(); ++p) {
    steps.push_back(step_words(place.steps[p], fmt::format("{}.stride{}", o.name, p)));
  }
  return fmt::format(
      "- {}: {} in {}{}{}\n", md_code(o.name), md_code(name(o.type)), md_code(memory(a, place.memory).name),
      steps.empty() ? "" : fmt::format(", steps {}", fmt::join(steps, ", ")), place.held ? ", held by the unit" : "");
}

std::string run_words(const Architecture& a, const Mnemonic& m) {
  const Capability& c = capability_of(a, m);
  std::string text =
      fmt::format("The {} {} runs {}:\n\n```\n", unit_of(a, m).kind == UnitKind::mover ? "mover" : "unit",
                  md_code(unit_of(a, m).name), md_code(c.name));
  for (const Statement& s : c.program.statements) text += to_string(c.program, s) + "\n";
  text += "```\n\n";
  for (std::size_t i = 0; i < c.operands.size(); ++i) text += operand_row(a, c.program.operands[i], c.operands[i]);
  text.pop_back();
  return text;
}

std::string mover_timing(const Unit& u) {
  return fmt::format("{} cycles of set-up, then requests of at most {}, one per cycle, up to {} under way", u.setup,
                     bytes_text(u.request), u.in_flight);
}

std::string links_words(const Architecture& a, const Route& r) {
  const std::vector<int> links = r.links;
  if (links.empty()) {
    return fmt::format("over a private wire of {} per cycle",
                       bytes_text(std::min(memory(a, r.source).word, memory(a, r.target).word)));
  }
  std::vector<std::string> words;
  for (const int index : links) {
    const Link& l = a.links[static_cast<std::size_t>(index)];
    words.push_back(fmt::format("over {}, {} per cycle{}, latency {}", md_code(l.name), width_text(a, l),
                                l.duplex ? " each way" : "", l.latency));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string port_words(const Architecture& a, const std::set<int>& memories) {
  std::string text;
  for (const int index : memories) {
    const Memory& m = memory(a, index);
    const std::string ports = m.shared_ports ? fmt::format("{} read or write", m.read_ports)
                                             : fmt::format("{} read and {} write", m.read_ports, m.write_ports);
    text += fmt::format("; {} has {} ports of {} per {}, latency {}", md_code(m.name), ports, bytes_text(m.word),
                        m.off_chip ? "channel" : "bank", m.latency);
  }
  return text;
}

std::set<int> memories_of(const Capability& c) {
  std::set<int> memories;
  for (const CapabilityOperand& operand : c.operands) {
    if (operand.memory >= 0) memories.insert(operand.memory);
  }
  return memories;
}

std::string formula_words(const Capability& c, const Formula& formula) {
  std::vector<std::int64_t> greatest;
  for (const CapabilityDim& dim : c.dims) greatest.push_back(dim.maximum);
  for (const CapabilityOperand& operand : c.operands) {
    if (operand.held) greatest.push_back(1);
  }
  const std::string text = formula.text().empty() ? "0" : formula.text();
  const std::string value = fmt::format("{}", formula.evaluate(greatest));
  return text == value ? md_code(text) : fmt::format("{} ({} at the greatest extents)", md_code(text), value);
}

std::string run_timing(const Architecture& a, const Mnemonic& m) {
  const Unit& u = unit_of(a, m);
  const Capability& c = capability_of(a, m);
  std::string text = "Timing: ";
  if (u.kind == UnitKind::mover) text += mover_timing(u) + "; ";
  text += fmt::format(
      "the first operand is read {} cycles after issue, the unit is busy for {}{} cycles, results are complete {} "
      "cycles "
      "later; {} operations may queue",
      formula_words(c, c.start), u.kind == UnitKind::mover ? "at least " : "", formula_words(c, c.interval),
      formula_words(c, c.drain), u.queue);
  return text + port_words(a, memories_of(c)) + ".";
}

}  // namespace

std::string meaning_words(const Architecture& a, const Mnemonic& m) {
  switch (m.meaning) {
    case Meaning::set: return "Sets registers.";
    case Meaning::add: return "Adds to registers.";
    case Meaning::transfer: return transfer_words(a, m);
    case Meaning::run: return run_words(a, m);
    case Meaning::loop: return "Hardware loop: the next `length` instructions run `count` times; 0 skips them.";
    case Meaning::wait:
      return fmt::format("The queue of {} waits until the semaphore is above 0, then takes one.",
                         md_code(unit_of(a, m).name));
    case Meaning::signal:
      return fmt::format("Once the earlier operations of {} are done, the semaphore grows by one.",
                         md_code(unit_of(a, m).name));
    case Meaning::fence: return "Dispatch goes on once every unit is idle.";
  }
  return "";
}

std::string timing_words(const Architecture& a, const Mnemonic& m) {
  if (m.meaning == Meaning::run) return run_timing(a, m);
  if (m.meaning != Meaning::transfer) return "";
  const Route& r = route_of(a, m);
  return fmt::format("Timing: {}, {}; {} operations may queue{}.", mover_timing(unit_of(a, m)), links_words(a, r),
                     unit_of(a, m).queue, port_words(a, {r.source, r.target}));
}

std::string energy_words(const Architecture& a, const Mnemonic& m) {
  std::vector<std::string> parts;
  const auto add = [&](double pj, const std::string& per) {
    if (pj > 0) parts.push_back(fmt::format("{:.4g} pJ {}", pj, per));
  };
  const auto add_memory = [&](int index) {
    add(memory(a, index).energy.read_pj, fmt::format("per byte read from {}", md_code(memory(a, index).name)));
    add(memory(a, index).energy.write_pj, fmt::format("per byte written to {}", md_code(memory(a, index).name)));
  };
  if (m.meaning == Meaning::run) {
    add(capability_of(a, m).pj_per_point, "per point of the iteration space");
    for (const int index : memories_of(capability_of(a, m))) add_memory(index);
  } else if (m.meaning == Meaning::transfer) {
    const Route& r = route_of(a, m);
    add(memory(a, r.source).energy.read_pj, fmt::format("per byte read from {}", md_code(memory(a, r.source).name)));
    add(memory(a, r.target).energy.write_pj, fmt::format("per byte written to {}", md_code(memory(a, r.target).name)));
    for (const int index : r.links) {
      const Link& link = a.links[static_cast<std::size_t>(index)];
      add(link.pj_per_byte, fmt::format("per byte over {}", md_code(link.name)));
    }
  } else {
    return "";
  }
  return parts.empty() ? "Energy: the covenant declares none." : fmt::format("Energy: {}.", fmt::join(parts, "; "));
}

}  // namespace accord
