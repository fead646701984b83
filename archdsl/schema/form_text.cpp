#include "archdsl/schema/form_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "archdsl/source/quantity.h"

namespace accord {

namespace {

constexpr std::array texts = {
    FormText{Form::name, "name", "up to 64 letters, digits and `_`, not beginning with a digit"},
    FormText{Form::declarator, "name or array",
             "a name, or that of an array with its sizes: `core[4]`, `\"pe[${n}][8]\"`; up to three dimensions"},
    FormText{Form::text, "text", "any single value"},
    FormText{Form::word, "word", "one of the words listed"},
    FormText{Form::flag, "flag", "`true` or `false` (also `1`, `0`, as expressions give them)"},
    FormText{Form::integer, "whole number", "decimal or `0x` hexadecimal, without a unit"},
    FormText{Form::bytes, "bytes", "a number with its unit"},
    FormText{Form::amount, "number or bytes", "a whole number, or bytes with their unit"},
    FormText{Form::cycles, "cycles",
             "a plain number or one with a unit; a time is turned into cycles of the component's clock, rounded up"},
    FormText{Form::rate, "bytes per cycle",
             "bytes, or a bandwidth, which the component's clock turns into bytes per cycle"},
    FormText{Form::frequency, "frequency", "a number with its unit"},
    FormText{Form::energy, "energy", "at least 0; a plain number is in pJ"},
    FormText{Form::area, "area", "a plain number of at least 0, in um^2"},
    FormText{Form::quantity, "quantity", "a number, with or without a unit"},
    FormText{Form::value, "value", "a quantity, a word, `true` or `false`"},
    FormText{Form::pair, "pair", "a list of two quantities"},
    FormText{Form::type, "element type", "see below"},
    FormText{
        Form::formula, "formula",
        "whole numbers over named variables: `+ - * / %`, comparisons, `c ? a : b`, `min max ceil_div select`; `/` "
        "rounds toward zero"},
    FormText{Form::statement, "statement",
             "a tensor statement such as `c[i,j] += i32(a[i,k]) * i32(b[k,j])`, or a list of them"},
    FormText{Form::expression, "expression", "a scalar expression in the operators of statements"},
    FormText{Form::step, "step", "bytes, or `free`: an argument of the instruction"},
    FormText{Form::reference, "reference",
             "a name, inside instances and arrays with dots and indices: `core[2].spad`; it is looked up where it "
             "stands, then further out"},
    FormText{Form::arrow, "arrow", "`FROM -> TO`, or `FROM -> TO, TO`"},
    FormText{Form::binding, "binding",
             "a sum of at most one field, one register and numbers: `\"r[base] + disp + 64 B\"`"},
    FormText{Form::interval, "interval", "`N`, or `LOW..HIGH`"},
    FormText{Form::path, "path",
             "of a file, beside the file that names it, in the folders of `ACCORD_PATH`, or in Accord's `configs`"},
};

FormText text_of(Form form) {
  for (const FormText& text : texts) {
    if (text.form == form) return text;
  }
  return {form, "", ""};
}

std::vector<Dimension> dimensions_of(Form form) {
  switch (form) {
    case Form::bytes:
    case Form::amount:
    case Form::step: return {Dimension::bytes};
    case Form::cycles: return {Dimension::cycles, Dimension::time};
    case Form::rate: return {Dimension::bytes, Dimension::bytes_per_second};
    case Form::frequency: return {Dimension::frequency};
    case Form::energy: return {Dimension::energy};
    case Form::quantity:
      return {Dimension::bytes,  Dimension::frequency, Dimension::time,
              Dimension::cycles, Dimension::energy,    Dimension::bytes_per_second};
    default: return {};
  }
}

/// Great powers of two and ten as such.
std::string limit_text(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const std::string_view sign = value < 0 ? "-" : "";
  if (magnitude > 65536 && std::has_single_bit(magnitude))
    return fmt::format("{}2^{}", sign, std::countr_zero(magnitude));
  if (magnitude == INT64_MAX) return "2^63 - 1";
  const std::string digits = fmt::format("{}", magnitude);
  const bool ten = magnitude > 65536 && digits.find_first_not_of('0', 1) == std::string::npos && digits[0] == '1';
  return ten ? fmt::format("{}10^{}", sign, digits.size() - 1) : fmt::format("{}{}", sign, digits);
}

std::string_view base_unit(Form form) {
  switch (form) {
    case Form::bytes:
    case Form::rate: return " B";
    case Form::frequency: return " Hz";
    default: return "";
  }
}

bool counts_entries(Form form) {
  return form == Form::list || form == Form::sequence || form == Form::table || form == Form::statement;
}

std::string count_text(Range range) {
  if (range.high >= greatest_quantity) return fmt::format("{} or more entries", range.low);
  if (range.low == range.high) return fmt::format("{} entries", range.low);
  return range.low == 0 ? fmt::format("up to {} entries", range.high)
                        : fmt::format("{} to {} entries", range.low, range.high);
}

}  // namespace

std::span<const FormText> form_texts() { return texts; }

std::string_view name_of(Form form) { return text_of(form).name; }

std::string_view meaning_of(Form form) { return text_of(form).meaning; }

std::string units_text(Form form) {
  std::vector<std::string_view> units;
  for (const Dimension dimension : dimensions_of(form)) {
    for (const std::string_view unit : units_of(dimension)) units.push_back(unit);
  }
  return fmt::format("{}", fmt::join(units, " "));
}

std::string range_text(Form form, Range range) {
  if (range.low == 0 && range.high == 0) return "";
  if (counts_entries(form)) return count_text(range);
  if (range.low == range.high) return limit_text(range.low);
  return fmt::format("{} to {}{}", limit_text(range.low), limit_text(range.high), base_unit(form));
}

}  // namespace accord
