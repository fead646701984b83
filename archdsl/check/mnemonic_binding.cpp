#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/mnemonic_reader.h"
#include "archdsl/source/grammar.h"
#include "archdsl/source/suggest.h"

namespace accord {

int MnemonicReader::field(std::string_view name) const {
  const auto found =
      std::find_if(mnemonic_.fields.begin(), mnemonic_.fields.end(), [&](const Field& f) { return f.name == name; });
  return found == mnemonic_.fields.end() ? -1 : static_cast<int>(found - mnemonic_.fields.begin());
}

int MnemonicReader::register_index(std::string_view name) const {
  const auto found =
      std::find_if(isa_.registers.begin(), isa_.registers.end(), [&](const Register& r) { return r.name == name; });
  return found == isa_.registers.end() ? -1 : static_cast<int>(found - isa_.registers.begin());
}

Binding MnemonicReader::field_binding(int field) {
  FieldSource& source = field_sources_[static_cast<std::size_t>(field)];
  source.used = true;
  Binding binding;
  binding.field = field;
  binding.unit = source.unit;
  binding.bias = source.bias;
  return binding;
}

/// `name` or `file[field]` or `file[number]`.
std::optional<MnemonicReader::RegisterReference> MnemonicReader::read_register(std::string_view text,
                                                                               const Place& place, bool reads) {
  const std::size_t open = text.find('[');
  const std::string_view name = trimmed(text.substr(0, open));
  const int index = register_index(name);
  if (index < 0) {
    std::vector<std::string> names;
    for (const Register& r : isa_.registers) names.push_back(r.name);
    report("unknown-name", place, fmt::format("there is no register `{}`", name), did_you_mean(name, names));
    return std::nullopt;
  }
  const Register& found = isa_.registers[static_cast<std::size_t>(index)];
  if (reads) register_used_[static_cast<std::size_t>(index)] = true;
  RegisterReference reference{Binding::Base::fixed_register, found.first, -1};
  if (open == std::string_view::npos) {
    if (found.count == 1) return reference;
    report("bad-binding", place, fmt::format("`{}` is a file of {} registers", name, found.count),
           fmt::format("say which: `{}[FIELD]`", name));
    return std::nullopt;
  }
  if (!text.ends_with(']')) {
    report("bad-binding", place, fmt::format("`{}` without its `]`", text));
    return std::nullopt;
  }
  const std::string_view inner = trimmed(text.substr(open + 1, text.size() - open - 2));
  if (const auto number = parse_quantity(inner); number && number->integral && number->dimension == Dimension::none) {
    if (number->integer >= 0 && number->integer < found.count) {
      reference.reg += static_cast<int>(number->integer);
      return reference;
    }
    report("bad-binding", place, fmt::format("`{}` has no register {}", name, number->integer));
    return std::nullopt;
  }
  reference.base = Binding::Base::indexed_register;
  reference.index_field = field(inner);
  if (reference.index_field < 0) {
    std::vector<std::string> names;
    for (const Field& f : mnemonic_.fields) names.push_back(f.name);
    report("unknown-name", place, fmt::format("`{}` has no field `{}`", mnemonic_.name, inner),
           did_you_mean(inner, names));
    return std::nullopt;
  }
  field_sources_[static_cast<std::size_t>(reference.index_field)].used = true;
  return reference;
}

std::optional<Binding> MnemonicReader::read_binding(const Node& node, std::string_view what) {
  const auto text = scope_.text(node, what);
  if (!text) return std::nullopt;
  Binding binding;
  for (std::size_t at = 0; at <= text->size();) {
    const std::size_t plus = std::min(text->find('+', at), text->size());
    if (!add_term(binding, trimmed(std::string_view(*text).substr(at, plus - at)), node)) return std::nullopt;
    at = plus + 1;
  }
  return binding;
}

/// Adds a field, a register or a number to the sum; at most one of the first two each.
bool MnemonicReader::add_term(Binding& binding, std::string_view term, const Node& node) {
  if (const auto number = parse_quantity(term)) {
    const bool plain =
        number->integral && (number->dimension == Dimension::none || number->dimension == Dimension::bytes);
    if (plain && !__builtin_add_overflow(binding.bias, number->integer, &binding.bias)) return true;
    report("bad-binding", node.place, fmt::format("`{}` is no whole number", term));
    return false;
  }
  if (const int index = field(term); index >= 0) {
    const Binding added = field_binding(index);
    if (binding.field >= 0) {
      report("bad-binding", node.place, "a binding adds at most one field");
      return false;
    }
    binding.field = index;
    binding.unit = added.unit;
    if (!__builtin_add_overflow(binding.bias, added.bias, &binding.bias)) return true;
    report("bad-binding", node.place, "the constants of this binding overflow");
    return false;
  }
  if (term.find('[') == std::string_view::npos && register_index(term) < 0) {
    std::vector<std::string> names;
    for (const Field& f : mnemonic_.fields) names.push_back(f.name);
    for (const Register& r : isa_.registers) names.push_back(r.name);
    report("unknown-name", node.place,
           fmt::format("`{}` is neither a field of `{}` nor a register", term, mnemonic_.name),
           did_you_mean(term, names));
    return false;
  }
  const auto reference = read_register(term, node.place, true);
  if (!reference) return false;
  if (binding.base != Binding::Base::none) {
    report("bad-binding", node.place, "a binding adds at most one register");
    return false;
  }
  binding.base = reference->base;
  binding.reg = reference->reg;
  binding.index_field = reference->index_field;
  return true;
}

void MnemonicReader::read_updates(const Node& registers, const Node* args) {
  std::vector<std::string> targets;
  for (const Node* const item : items_of(registers)) {
    const auto text = scope_.text(*item, "a register");
    if (!text) continue;
    targets.push_back(*text);
    const auto target = read_register(*text, item->place, false);
    if (!target) continue;
    RegisterUpdate update{target->base, target->reg, target->index_field, {}};
    const Node* const arg = args ? args->find(*text) : nullptr;
    const int own = field(std::string_view(*text).substr(0, text->find('[')));
    if (arg) {
      const auto amount = read_binding(*arg, *text);
      if (!amount) continue;
      update.amount = *amount;
    } else if (own >= 0) {
      update.amount = field_binding(own);
    } else {
      report("missing-argument", item->place,
             fmt::format("`{}` has no field for the register `{}`", mnemonic_.name, *text),
             fmt::format("fields: {{{}: BITS}} or args: {{\"{}\": FIELD}}", text->substr(0, text->find('[')), *text));
      continue;
    }
    mnemonic_.updates.push_back(update);
  }
  for (const NodeEntry& entry : scope_.entries(args, "args", 256)) {
    if (std::find(targets.begin(), targets.end(), entry.key.text) != targets.end()) continue;
    report("unknown-name", entry.key.place,
           fmt::format("`{}` does not change the register `{}`", mnemonic_.name, entry.key.text),
           did_you_mean(entry.key.text, targets));
  }
}

void MnemonicReader::read_post(const Node* node) {
  for (const NodeEntry& entry : scope_.entries(node, "post", 64)) {
    const auto target = read_register(entry.key.text, entry.key.place, false);
    const auto amount = read_binding(entry.value, "post");
    if (target && amount) mnemonic_.updates.push_back({target->base, target->reg, target->index_field, *amount});
  }
}

}  // namespace accord
