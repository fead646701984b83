#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "archdsl/export/names.h"
#include "archdsl/export/yaml.h"
#include "archdsl/isa/emit.h"
#include "archdsl/source/error.h"

namespace accord {

namespace {

bool has_field(const Mnemonic& m, std::string_view name) {
  return std::any_of(m.fields.begin(), m.fields.end(), [&](const Field& f) { return f.name == name; });
}

/// Keys must differ even where two updates change one register; blanks before the bracket's end mean nothing.
std::string unique_target(std::vector<std::string>& used, std::string target) {
  if (std::find(used.begin(), used.end(), target) != used.end() && !target.ends_with(']')) target += "[0]";
  while (std::find(used.begin(), used.end(), target) != used.end()) target.insert(target.size() - 1, " ");
  used.push_back(target);
  return target;
}

struct Updates {
  std::vector<std::string> targets;  ///< quoted
  std::vector<std::string> entries;  ///< `"r[i]": "amount"`
};

Updates updates_of(const Isa& isa, const Mnemonic& m) {
  Updates updates;
  std::vector<std::string> used;
  for (const RegisterUpdate& u : m.updates) {
    const std::string target = unique_target(used, register_text(isa, m, u.base, u.reg, u.index_field));
    updates.targets.push_back(yaml_scalar(target));
    updates.entries.push_back(
        fmt::format("{}: {}", updates.targets.back(), yaml_scalar(binding_text(isa, m, u.amount))));
  }
  return updates;
}

std::string fields_entry(const Mnemonic& m) {
  std::vector<std::string> fields;
  for (std::size_t f = 0; f < m.fields.size(); ++f) {
    const Field& field = m.fields[f];
    fields.push_back(fmt::format("{}: {{at: {}, bits: {}, signed: {}, unit: {}, bias: 0}}", yaml_scalar(field.name),
                                 field.offset, field.bits, field.is_signed, field_unit(m, static_cast<int>(f))));
  }
  return fields.empty() ? "" : fmt::format("      fields: {{{}}}\n", fmt::join(fields, ", "));
}

std::string means_entry(const Architecture& a, const Mnemonic& m, const Updates& updates) {
  if (m.meaning == Meaning::set || m.meaning == Meaning::add) {
    return fmt::format("{{{}: [{}]}}", name(m.meaning), fmt::join(updates.targets, ", "));
  }
  if (m.meaning == Meaning::loop || m.meaning == Meaning::fence) return std::string(name(m.meaning));
  return fmt::format("{{{}: {}}}", name(m.meaning), yaml_scalar(target_text(a, m)));
}

std::string mnemonic_entry(const Architecture& a, const Mnemonic& m) {
  const Updates updates = updates_of(a.isa, m);
  std::string text = fmt::format("    {}:\n      means: {}\n      opcode: {}\n", yaml_scalar(m.name),
                                 means_entry(a, m, updates), m.opcode);
  text += fields_entry(m);
  const bool sets = m.meaning == Meaning::set || m.meaning == Meaning::add;
  std::vector<std::string> args = sets ? updates.entries : std::vector<std::string>();
  const std::vector<std::string> names = argument_names(a, m);
  for (std::size_t i = 0; i < m.arguments.size(); ++i) {
    const std::string key = names[i].find('.') == std::string::npos ? yaml_scalar(names[i]) : names[i];
    args.push_back(fmt::format("{}: {}", key, yaml_scalar(binding_text(a.isa, m, m.arguments[i]))));
  }
  if (!args.empty()) text += fmt::format("      args: {{{}}}\n", fmt::join(args, ", "));
  if (!sets && !updates.entries.empty()) text += fmt::format("      post: {{{}}}\n", fmt::join(updates.entries, ", "));
  return text;
}

/// Positions of indices in a name, and the values there.
std::vector<std::int64_t*> indices_of(NameParts& name) {
  std::vector<std::int64_t*> indices;
  for (NamePart& part : name) {
    for (std::int64_t& index : part.indices) indices.push_back(&index);
  }
  return indices;
}

/// Whether the indices at position p are what field e chooses, for every unit.
bool chooses(const Architecture& a, const Mnemonic& m, std::size_t e, std::size_t p) {
  for (std::size_t ordinal = 0; ordinal < m.units.size(); ++ordinal) {
    if (m.units[ordinal] < 0) continue;
    NameParts name = parts_of(a.units[static_cast<std::size_t>(m.units[ordinal])].name);
    const auto indices = indices_of(name);
    const ElementField& element = m.elements[e];
    const auto value = static_cast<std::int64_t>(ordinal) / element.stride % element.count;
    if (p >= indices.size() || *indices[p] != value) return false;
  }
  return true;
}

}  // namespace

std::string unit_text(const Architecture& a, const Mnemonic& m) {
  NameParts name = parts_of(a.units[static_cast<std::size_t>(m.unit)].name);
  std::vector<std::string> indices;
  std::size_t e = 0;
  for (const std::int64_t* const index : indices_of(name)) {
    const bool chosen = e < m.elements.size() && chooses(a, m, e, indices.size());
    indices.push_back(chosen ? m.fields[static_cast<std::size_t>(m.elements[e++].field)].name
                             : fmt::format("{}", *index));
  }
  if (e < m.elements.size())
    throw Error(fmt::format("`{}`: the names of its units do not show what chooses them", m.name));
  std::string text;
  std::size_t at = 0;
  for (const NamePart& part : name) {
    text += text.empty() ? part.name : "." + part.name;
    for (std::size_t i = 0; i < part.indices.size(); ++i) text += "[" + indices[at++] + "]";
  }
  return text;
}

std::string_view name(Meaning meaning) {
  static constexpr std::array<std::string_view, 8> names = {"set",  "add",  "transfer", "run",
                                                            "loop", "wait", "signal",   "fence"};
  return names[static_cast<std::size_t>(meaning)];
}

std::string register_text(const Isa& isa, const Mnemonic& m, Binding::Base base, int reg, int index_field) {
  const Register& r = *register_of(isa, reg);
  if (base == Binding::Base::indexed_register) {
    return fmt::format("{}[{}]", r.name, m.fields[static_cast<std::size_t>(index_field)].name);
  }
  return r.count == 1 ? r.name : fmt::format("{}[{}]", r.name, reg - r.first);
}

std::string binding_text(const Isa& isa, const Mnemonic& m, const Binding& b) {
  std::vector<std::string> terms;
  if (b.base != Binding::Base::none) {
    terms.push_back(register_text(isa, m, b.base, b.reg, b.index_field));
    if (has_field(m, terms.back())) terms.back() += "[0]";  // a bare name would be the field
  }
  if (b.field >= 0) terms.push_back(m.fields[static_cast<std::size_t>(b.field)].name);
  if (b.bias == std::numeric_limits<std::int64_t>::min()) {
    terms.push_back(fmt::format("{} + -1", b.bias + 1));  // its magnitude alone is no int64
  } else if (b.bias != 0 || terms.empty()) {
    terms.push_back(fmt::format("{}", b.bias));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

std::int64_t field_unit(const Mnemonic& m, int field) {
  std::int64_t unit = 0;
  const auto look = [&](const Binding& b) {
    if (b.field != field) return;
    if (unit != 0 && unit != b.unit) {
      throw Error(fmt::format("`{}`: the field `{}` counts {} in one place and {} in another", m.name,
                              m.fields[static_cast<std::size_t>(field)].name, unit, b.unit));
    }
    unit = b.unit;
  };
  for (const Binding& argument : m.arguments) look(argument);
  for (const RegisterUpdate& update : m.updates) look(update.amount);
  return unit == 0 ? 1 : unit;
}

std::string target_text(const Architecture& a, const Mnemonic& m) {
  if (m.unit < 0) return "";
  const Unit& unit = a.units[static_cast<std::size_t>(m.unit)];
  const std::string chosen = unit_text(a, m);
  if (m.meaning == Meaning::run) {
    return fmt::format("{}.{}", chosen, unit.capabilities[static_cast<std::size_t>(m.capability)].name);
  }
  if (m.meaning != Meaning::transfer) return chosen;
  const Route& route = unit.routes[static_cast<std::size_t>(m.route)];
  std::vector<std::string> targets = {a.memories[static_cast<std::size_t>(route.target)].name};
  for (const int target : route.also) targets.push_back(a.memories[static_cast<std::size_t>(target)].name);
  std::string source = a.memories[static_cast<std::size_t>(route.source)].name;
  if (route.gather) source += "[" + a.memories[static_cast<std::size_t>(route.gather->index)].name + "]";
  return fmt::format("{}.{}->{}", chosen, source, fmt::join(targets, ","));
}

std::string yaml_isa(const Architecture& a) {
  const Isa& isa = a.isa;
  std::string text =
      fmt::format("\n  width: {}\n  opcode: {{offset: {}, bits: {}}}\n", isa.width, isa.opcode_offset, isa.opcode_bits);
  text += isa.registers.empty() ? "  registers: {}\n" : "  registers:\n";
  for (const Register& r : isa.registers) {
    text +=
        fmt::format("    {}: {{bits: {}, count: {}, signed: {}}}\n", yaml_scalar(r.name), r.bits, r.count, r.is_signed);
  }
  text += isa.mnemonics.empty() ? "  mnemonics: {}\n" : "  mnemonics:\n";
  for (const Mnemonic& m : isa.mnemonics) text += mnemonic_entry(a, m);
  return text;
}

}  // namespace accord
