#include "archdsl/schema/reference.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "archdsl/schema/form_text.h"
#include "archdsl/tensor/element_type.h"

namespace accord {

namespace {

/// `|` ends a cell, also inside code.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string code(std::string_view text) { return text.empty() ? "" : fmt::format("`{}`", text); }

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& one : cells) text += one.empty() ? " |" : fmt::format(" {} |", cell(one));
  return text + "\n";
}

std::string head(const std::vector<std::string>& names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += "---|";
  return row(names) + rule + "\n";
}

std::string link(std::string_view map) { return fmt::format("[{0}](#{0})", map); }

std::string words(std::string_view list) {
  std::string text;
  for (const std::string& word : words_of(list)) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", word);
  return text;
}

std::string keys_of_table(const KeyRule& key) {
  return key.names == Form::name ? "" : fmt::format(" (keys: {})", name_of(key.names));
}

std::string value_of(const KeyRule& key) {
  switch (key.form) {
    case Form::map: return link(key.map);
    case Form::table: return fmt::format("map of {}{}", link(key.map), keys_of_table(key));
    case Form::list: return fmt::format("{} or list", link(key.map));
    case Form::sequence: return fmt::format("list of {}", link(key.map));
    case Form::word: return words(key.words);
    default: return std::string(name_of(key.form));
  }
}

std::string key_row(const KeyRule& key) {
  return row({code(key.key), value_of(key), key.required ? "required" : code(key.fallback),
              range_text(key.form, key.range), std::string(key.meaning), code(key.example)});
}

/// "`fence` or `loop`", "its bits (whole number, 1 to 63)".
std::string short_form(const MapRule& rule) {
  std::string text(rule.short_meaning);
  if (rule.short_form == Form::word) return text;
  const std::string range = range_text(rule.short_form, rule.short_range);
  return fmt::format("{} ({}{}{})", text, name_of(rule.short_form), range.empty() ? "" : ", ", range);
}

std::string choices(const MapRule& rule) {
  std::string text;
  for (const std::string& name : words_of(rule.choices))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", link(name));
  return text;
}

std::string section(const MapRule& rule) {
  std::string text = fmt::format("\n## {}\n\n{}", rule.name, rule.meaning);
  if (!rule.choices.empty()) text += fmt::format(" One of: {}.", choices(rule));
  if (!rule.exactly_one.empty()) text += fmt::format(" Exactly one of {} stands.", words(rule.exactly_one));
  if (rule.short_form != Form::map)
    text += fmt::format(" {}: {}.", rule.keys.empty() ? "Written as" : "Short form", short_form(rule));
  text += "\n";
  if (rule.keys.empty()) return text;
  text += "\n" + head({"key", "value", "default", "range", "meaning", "example"});
  for (const KeyRule& key : rule.keys) text += key_row(key);
  return text;
}

std::string forms() {
  std::string text = "## Values\n\n" + head({"form", "what stands there", "units"});
  for (const FormText& form : form_texts())
    text += row({std::string(form.name), std::string(form.meaning), units_text(form.form)});
  text += "\nElement types:";
  for (int i = 0; i <= static_cast<int>(ElementType::fp32); ++i)
    text += fmt::format(" `{}`", name(static_cast<ElementType>(i)));
  return text + ". An `i4` takes a byte of its own in every memory: steps, words and bandwidths count it as one.\n";
}

constexpr std::string_view introduction =
    R"(<!-- Written by `accord schema --reference -o docs/reference.md` from the grammar in archdsl/source. Edit that. -->
# The covenant's keys

All maps of the language with all their keys, the file itself first ([covenant](#covenant)). What they mean together, and expressions: [covenant.md](covenant.md).
A key that is not listed is a mistake. A map with a short form may be replaced by it. Where a value is "or list", a single one may stand without brackets.

In place of any single value, or of a part of it, an expression may stand: `"${4 * dim} B"`. Ranges are in the base unit; the range of a list or map is the number of its entries.

)";

}  // namespace

std::string reference_markdown() {
  std::string text(introduction);
  text += forms();
  for (const MapRule& rule : grammar()) text += section(rule);
  return text;
}

}  // namespace accord
