#include "archdsl/export/isa_manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/export/markdown.h"
#include "archdsl/export/yaml.h"

namespace accord {

namespace {

std::string bits_text(int offset, int bits) {
  return bits == 1 ? fmt::format("{}", offset) : fmt::format("{} … {}", offset + bits - 1, offset);
}

std::string range_text(std::int64_t low, std::int64_t high) { return fmt::format("{} … {}", low, high); }

std::string clocks_text(const Architecture& a) {
  std::vector<std::string> clocks;
  for (const ClockDomain& c : a.clocks) clocks.push_back(fmt::format("{} {} Hz", md_code(c.name), yaml_number(c.hz)));
  return fmt::format("{}{}", fmt::join(clocks, ", "),
                     clocks.size() > 1 ? "; a component's cycles are those of its own clock" : "");
}

std::string overview(const Architecture& a) {
  const Isa& isa = a.isa;
  std::vector<std::vector<std::string>> rows = {
      {"instruction", fmt::format("{} bits ({} bytes), little-endian; bit 0 is the lowest", isa.width, isa.width / 8)},
      {"opcode", fmt::format("bits {}", bits_text(isa.opcode_offset, isa.opcode_bits))},
      {"mnemonics", fmt::format("{}", isa.mnemonics.size())},
      {"registers", fmt::format("{}", isa.register_count)},
      {"controller",
       fmt::format(
           "{}, {} instruction{} {}, {} nested hardware loops", md_code(a.controller.name), a.controller.issue_width,
           a.controller.issue_width == 1 ? "" : "s",
           a.controller.issue_interval == 1 ? "per cycle" : fmt::format("every {} cycles", a.controller.issue_interval),
           a.controller.loop_depth)},
      {"clock", clocks_text(a)}};
  switch (a.sync.kind) {
    case Sync::Kind::in_order:
      rows.push_back({"order",
                      "in order: an operation starts after all before it have started, and stalls all while "
                      "its ranges are in use"});
      break;
    case Sync::Kind::semaphores:
      rows.push_back({"order", fmt::format("{} semaphores that count to {}: only wait and signal order the units",
                                           a.sync.semaphores, a.sync.semaphore_max)});
      break;
    case Sync::Kind::interlock:
      rows.push_back({"order", fmt::format("interlock: up to {} dispatched operations; each starts when the on-chip "
                                           "ranges it touches are free",
                                           a.sync.entries)});
      break;
  }
  return md_table({"", ""}, rows);
}

std::string registers_table(const Isa& isa) {
  if (isa.registers.empty()) return "This machine has no registers.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Register& r : isa.registers) {
    const Field as_field{r.name, 0, r.bits, r.is_signed};
    rows.push_back({md_code(r.name), fmt::format("{}", r.count), fmt::format("{}", r.bits),
                    range_text(lowest_raw(as_field), highest_raw(as_field))});
  }
  return "Values wrap at a register's width.\n\n" + md_table({"register", "count", "bits", "values"}, rows);
}

std::string summary(const Architecture& a) {
  std::vector<std::vector<std::string>> rows;
  for (const Mnemonic& m : a.isa.mnemonics) {
    rows.push_back(
        {fmt::format("{}", m.opcode), md_code(m.name), std::string(name(m.meaning)), md_code(target_text(a, m))});
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& x, const auto& y) { return std::pair(x[0].size(), x[0]) < std::pair(y[0].size(), y[0]); });
  return md_table({"opcode", "mnemonic", "means", "of"}, rows);
}

/// A stretch of bits of an instruction.
struct Stretch {
  int offset = 0;
  int bits = 0;
  std::vector<std::string> cells;
};

std::string layout(const Architecture& a, const Mnemonic& m) {
  std::vector<Stretch> stretches = {
      {a.isa.opcode_offset, a.isa.opcode_bits, {"opcode", fmt::format("{}", m.opcode), ""}}};
  for (std::size_t f = 0; f < m.fields.size(); ++f) {
    const Field& field = m.fields[f];
    const std::int64_t unit = field_unit(m, static_cast<int>(f));
    stretches.push_back({field.offset,
                         field.bits,
                         {md_code(field.name), range_text(lowest_raw(field), highest_raw(field)),
                          unit == 1 ? "" : fmt::format("units of {}", unit)}});
  }
  std::sort(stretches.begin(), stretches.end(), [](const auto& x, const auto& y) { return x.offset > y.offset; });
  std::vector<std::vector<std::string>> rows;
  int above = a.isa.width;
  const auto unused = [&](int end) {
    if (above > end) rows.push_back({bits_text(end, above - end), fmt::format("{}", above - end), "", "0", "unused"});
  };
  for (const Stretch& s : stretches) {
    unused(s.offset + s.bits);
    rows.push_back({bits_text(s.offset, s.bits), fmt::format("{}", s.bits), s.cells[0], s.cells[1], s.cells[2]});
    above = s.offset;
  }
  unused(0);
  return md_table({"bits", "width", "field", "raw values", ""}, rows);
}

/// What a binding without a register can give.
std::string reach(const Mnemonic& m, const Binding& b) {
  if (b.base != Binding::Base::none) return "the register's values";
  if (b.field < 0) return "constant";
  const Field& field = m.fields[static_cast<std::size_t>(b.field)];
  std::int64_t low = 0, high = 0;
  if (__builtin_mul_overflow(lowest_raw(field), b.unit, &low) || __builtin_add_overflow(low, b.bias, &low) ||
      __builtin_mul_overflow(highest_raw(field), b.unit, &high) || __builtin_add_overflow(high, b.bias, &high)) {
    return "any, wrapping at 64 bits";
  }
  return range_text(low, high) + (b.unit == 1 ? "" : fmt::format(" by {}", b.unit));
}

std::string binding_words(const Isa& isa, const Mnemonic& m, const Binding& b) {
  std::string text = md_code(binding_text(isa, m, b));
  if (b.field >= 0 && b.unit != 1) {
    text += fmt::format(", {} counting {}", md_code(m.fields[static_cast<std::size_t>(b.field)].name), b.unit);
  }
  return text;
}

std::string arguments_table(const Architecture& a, const Mnemonic& m) {
  if (m.arguments.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  const std::vector<ArgumentFact> facts = argument_facts(a, m);
  for (std::size_t i = 0; i < m.arguments.size(); ++i) {
    const Binding& b = m.arguments[i];
    rows.push_back({md_code(facts[i].name), facts[i].words, binding_words(a.isa, m, b), reach(m, b), facts[i].legal});
  }
  return md_table({"argument", "meaning", "comes from", "reaches", "legal"}, rows);
}

std::string updates_text(const Architecture& a, const Mnemonic& m) {
  std::string text;
  for (const RegisterUpdate& u : m.updates) {
    text += fmt::format("- {} {} {}\n", md_code(register_text(a.isa, m, u.base, u.reg, u.index_field)),
                        m.meaning == Meaning::set ? ":=" : "+=", binding_words(a.isa, m, u.amount));
  }
  if (text.empty()) return "";
  const bool is_meaning = m.meaning == Meaning::set || m.meaning == Meaning::add;
  return (is_meaning ? "" : "After the operands are read:\n\n") + text + "\n";
}

/// Which unit of an array: the elements are alike, so that the chapter speaks of the first.
std::string choice_words(const Architecture& a, const Mnemonic& m) {
  if (m.units.empty()) return "";
  const auto count = std::count_if(m.units.begin(), m.units.end(), [](int unit) { return unit >= 0; });
  std::string text = fmt::format("Goes to one of {} units, {}", count, md_code(unit_text(a, m)));
  for (const ElementField& e : m.elements) {
    text += fmt::format("; {} is {}", md_code(m.fields[static_cast<std::size_t>(e.field)].name),
                        range_text(0, e.count - 1));
  }
  return text +
         fmt::format(". Said here of the first, {}.\n\n", md_code(a.units[static_cast<std::size_t>(m.unit)].name));
}

std::string chapter(const Architecture& a, const Mnemonic& m) {
  std::string text = fmt::format("### {}\n\n{}{}\n\n", md_code(m.name), choice_words(a, m), meaning_words(a, m));
  text += layout(a, m) + arguments_table(a, m) + updates_text(a, m);
  for (const std::string& part : {timing_words(a, m), energy_words(a, m)}) {
    if (!part.empty()) text += part + "\n\n";
  }
  return text;
}

}  // namespace

std::string to_isa_manual(const Architecture& a) {
  std::string text = fmt::format("# Instruction set of {}\n\n", md_text(a.name));
  if (!a.source.empty()) text += md_text(a.source.substr(0, a.source.find_last_not_of(" \n") + 1)) + "\n\n";
  text += "## Overview\n\n" + overview(a) + "## Registers\n\n" + registers_table(a.isa);
  text += "## Summary\n\n" + summary(a) + "## Instructions\n\n";
  for (const Mnemonic& m : a.isa.mnemonics) text += chapter(a, m);
  text.pop_back();
  return text;
}

}  // namespace accord
