#include "archdsl/schema/pattern.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "archdsl/source/quantity.h"

namespace accord {

namespace {

constexpr std::string_view any_space = "[ \\t\\n]*";
constexpr std::string_view any_name = "[A-Za-z_][A-Za-z0-9_]{0,63}";
constexpr std::string_view any_expression = "\\$\\{[^}]*\\}";
constexpr std::string_view any_number = "(?:0x[0-9A-Fa-f]+|[0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)";

std::string any_unit(std::initializer_list<Dimension> dimensions) {
  std::vector<std::string_view> names;
  for (const Dimension dimension : dimensions) {
    for (const std::string_view unit : units_of(dimension)) names.push_back(unit);
  }
  return fmt::format("(?:{})", fmt::join(names, "|"));
}

/// A number with one of these units.
std::string measured(std::initializer_list<Dimension> dimensions, bool unit_required) {
  return fmt::format("{}{}{}{}{}", any_number, any_space, any_unit(dimensions), unit_required ? "" : "?", any_space);
}

std::string any_quantity() {
  return "-?" + measured({Dimension::bytes, Dimension::frequency, Dimension::time, Dimension::cycles, Dimension::energy,
                          Dimension::bytes_per_second},
                         false);
}

/// `core[2].spad`, `r[field]`, `a.stride1`; what stands in the brackets is free.
std::string reference() { return fmt::format("{0}(?:\\[[^\\[\\]]+\\])*(?:\\.{0}(?:\\[[^\\[\\]]+\\])*)*", any_name); }

/// Sizes of arrays are numbers; dots are for files with `resolved: true`.
std::string declarator() { return fmt::format("{0}(?:\\[{1}\\])*(?:\\.{0}(?:\\[{1}\\])*)*", any_name, any_number); }

std::string arrow() { return fmt::format(" *{0} *-> *{0} *(?:, *{0} *)*", reference()); }

std::string binding() {
  const std::string term =
      fmt::format("(?:-?{}|{}(?: *\\[[^\\[\\]]+\\])?)", measured({Dimension::bytes}, false), any_name);
  return fmt::format(" *{0} *(?:\\+ *{0} *)*", term);
}

std::string interval() { return fmt::format(" *{0} *(?:\\.\\. *{0} *)?", any_number); }

std::string pattern_text(Form form) {
  switch (form) {
    case Form::name: return std::string(any_name);
    case Form::declarator: return declarator();
    case Form::integer:
    case Form::area: return std::string(any_number);
    case Form::bytes: return measured({Dimension::bytes}, true);
    case Form::amount: return measured({Dimension::bytes}, false);
    case Form::cycles: return measured({Dimension::cycles, Dimension::time}, false);
    case Form::rate: return measured({Dimension::bytes, Dimension::bytes_per_second}, true);
    case Form::frequency: return measured({Dimension::frequency}, true);
    case Form::energy: return measured({Dimension::energy}, false);
    case Form::quantity: return any_quantity();
    case Form::value: return fmt::format("{}|{}", any_quantity(), any_name);
    case Form::statement: return "[^=]+=[\\s\\S]+";
    case Form::step: return "free|" + measured({Dimension::bytes}, true);
    case Form::reference: return reference();
    case Form::arrow: return arrow();
    case Form::binding: return binding();
    case Form::interval: return interval();
    default: return "";
  }
}

}  // namespace

std::string expression_pattern() { return std::string(any_expression); }

std::string pattern_of(Form form, bool negative) {
  const std::string text = pattern_text(form);
  if (text.empty()) return text;
  return fmt::format("^(?:{}{})$|{}", negative ? "-?" : "", text, any_expression);
}

}  // namespace accord
