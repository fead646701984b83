#include "archdsl/schema/form_schema.h"

#include <fmt/format.h>

#include <string>

#include "archdsl/schema/form_text.h"
#include "archdsl/schema/pattern.h"
#include "archdsl/tensor/element_type.h"

namespace accord {

namespace {

bool stated(Range range) { return range.low != 0 || range.high != 0; }

Schema expression() { return {{"type", "string"}, {"pattern", expression_pattern()}}; }

/// One of some texts, or an expression. The texts stand apart so that editors offer them.
Schema one_of_texts(Schema texts) { return {{"anyOf", {{{"enum", std::move(texts)}}, expression()}}}; }

Schema element_types() {
  Schema names = Schema::array();
  for (int i = 0; i <= static_cast<int>(ElementType::fp32); ++i) names.push_back(name(static_cast<ElementType>(i)));
  return names;
}

/// Also quoted, and as 1 or 0.
Schema flag() {
  const std::string texts = "^(?:true|false|[01])$|" + expression_pattern();
  return {{"anyOf", {{{"type", "boolean"}}, {{"enum", {0, 1}}}, {{"type", "string"}, {"pattern", texts}}}}};
}

Schema pair() {
  return {{"type", "array"}, {"items", form_schema(Form::quantity, {}, "")}, {"minItems", 2}, {"maxItems", 2}};
}

Schema statements(Range range) {
  const Schema one = {{"type", "string"}, {"pattern", pattern_of(Form::statement)}};
  const Schema many = {{"type", "array"}, {"items", one}, {"minItems", range.low}, {"maxItems", range.high}};
  return {{"anyOf", {one, many}}};
}

/// YAML's types of values that are single but not just text.
Schema types_of(Form form) {
  switch (form) {
    case Form::text:
    case Form::value: return {"string", "number", "boolean"};
    case Form::integer:
    case Form::amount:
    case Form::cycles:
    case Form::formula:
    case Form::binding:
    case Form::interval: return {"integer", "string"};
    case Form::energy:
    case Form::area:
    case Form::quantity:
    case Form::expression: return {"number", "string"};
    default: return "string";
  }
}

/// JSON's numbers are exact to 2^53 in editors; greater limits mean none.
void add_range(Schema& schema, Form form, Range range) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (form == Form::energy || form == Form::area) schema["minimum"] = 0;
  if (!stated(range) || schema["type"] == "string") return;
  schema["minimum"] = range.low;
  if (range.high <= exact) schema["maximum"] = range.high;
}

/// What editors say in place of the pattern.
std::string expected(Form form) {
  const std::string units = units_text(form);
  return fmt::format("{} was expected: {}{}", name_of(form), meaning_of(form),
                     units.empty() ? "" : fmt::format(" (units: {})", units));
}

}  // namespace

Schema form_schema(Form form, Range range, std::string_view words) {
  switch (form) {
    case Form::word: return one_of_texts(words_of(words));
    case Form::type: return one_of_texts(element_types());
    case Form::flag: return flag();
    case Form::pair: return pair();
    case Form::statement: return statements(range);
    case Form::step:
      return {{"anyOf", {{{"enum", {"free"}}}, {{"type", "string"}, {"pattern", pattern_of(Form::bytes)}}}}};
    default: break;
  }
  Schema schema = {{"type", types_of(form)}};
  add_range(schema, form, range);
  const std::string pattern = pattern_of(form, range.low < 0);
  if (!pattern.empty()) schema.update({{"pattern", pattern}, {"patternErrorMessage", expected(form)}});
  return schema;
}

}  // namespace accord
