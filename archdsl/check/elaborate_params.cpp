#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

/// A number with its unit, or a bare word.
std::optional<Quantity> read_value(const std::string& text) {
  if (auto quantity = parse_quantity(text)) return quantity;
  const auto legal = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (const char c : text) {
    if (!legal(c)) return std::nullopt;
  }
  if (text.empty() || text.size() > 64 || std::isdigit(static_cast<unsigned char>(text[0]))) return std::nullopt;
  Quantity word;
  word.dimension = Dimension::word;
  word.word = text;
  return word;
}

bool below(const Quantity& a, const Quantity& b) {
  return a.integral && b.integral ? a.integer < b.integer : a.number() < b.number();
}

/// Empty where the value lies in the param's range.
std::string range_mistake(const Param& param, const Quantity& value) {
  const bool outside = (param.low && below(value, *param.low)) || (param.high && below(*param.high, value));
  if (!outside) return {};
  return fmt::format("param `{}` must lie between {} and {}, not {}", param.name, to_string(*param.low),
                     to_string(*param.high), to_string(value));
}

std::optional<Quantity> read_value(Scope& scope, const Node& node, const std::string& what) {
  const auto text = scope.text(node, what);
  if (!text) return std::nullopt;
  auto value = read_value(*text);
  if (!value) {
    scope.reporter().report("wrong-value", node.place,
                            fmt::format("{}: `{}` is neither a number with a known unit nor a word", what, *text));
  }
  return value;
}

void read_range(Scope& scope, const Node& node, Param& param) {
  if (!node.is_sequence() || node.items.size() != 2) {
    scope.reporter().report("wrong-form", node.place, "a range is a list of two numbers: [lowest, highest]");
    return;
  }
  const auto low = read_value(scope, node.items[0], "range");
  const auto high = read_value(scope, node.items[1], "range");
  if (!low || !high) return;
  if (low->dimension != param.value.dimension || high->dimension != param.value.dimension ||
      low->dimension == Dimension::word) {
    scope.reporter().report("wrong-value", node.place, "the range must have the unit of the value");
    return;
  }
  param.low = low;
  param.high = high;
  if (const std::string mistake = range_mistake(param, param.value); !mistake.empty()) {
    scope.reporter().report("out-of-range", param.place, mistake);
  }
}

void apply_override(Scope& scope, const std::string& text, Param& param) {
  const Location where{fmt::format("--set {}={}", param.name, text), 0, 0};
  const auto value = read_value(text);
  const bool same_kind =
      value && value->dimension == param.value.dimension && (value->integral || !param.value.integral);
  if (!same_kind) {
    const std::string_view kind = param.value.dimension == Dimension::none && param.value.integral
                                      ? "a whole number"
                                      : describe(param.value.dimension);
    scope.reporter().report_at("bad-override", where,
                               fmt::format("param `{}` is {}, not `{}`", param.name, kind, text));
    return;
  }
  if (const std::string mistake = range_mistake(param, *value); !mistake.empty()) {
    scope.reporter().report_at("out-of-range", where, mistake);
    return;
  }
  param.value = *value;
}

std::optional<Param> read_param(Scope& scope, const NodeEntry& entry) {
  Param param;
  param.name = entry.key.text;
  param.place = entry.key.place;
  if (!scope.check_name(param.name, entry.key.place, "param")) return std::nullopt;
  const std::string what = fmt::format("param `{}`", param.name);
  if (!entry.value.is_map()) {
    const auto value = read_value(scope, entry.value, what);
    if (!value) return std::nullopt;
    param.value = *value;
    return param;
  }
  MapReader reader(scope, entry.value, what);
  const Node* const value = reader.require("value");
  const Node* const range = reader.find("range");
  reader.text("doc", "");
  const Node* const unit = reader.find("unit");
  reader.finish();
  auto quantity = value ? read_value(scope, *value, what) : std::nullopt;
  if (!quantity) return std::nullopt;
  if (unit && quantity->dimension == Dimension::none) {
    const auto unit_text = scope.text(*unit, "unit").value_or("");
    const auto with_unit = parse_quantity(fmt::format("{} {}", to_string(*quantity), unit_text));
    if (!with_unit) scope.reporter().report("wrong-value", unit->place, fmt::format("unknown unit `{}`", unit_text));
    quantity = with_unit.value_or(*quantity);
  }
  param.value = *quantity;
  if (range) read_range(scope, *range, param);
  return param;
}

}  // namespace

void read_params(Scope& scope, const Node* node, const std::map<std::string, std::string>& overrides) {
  std::vector<std::string> declared;
  for (const NodeEntry& entry : scope.entries(node, "params", 1024)) {
    declared.push_back(entry.key.text);
    auto param = read_param(scope, entry);
    if (!param) {
      Param broken;
      broken.name = entry.key.text;
      broken.broken = true;
      scope.add_param(std::move(broken));
      continue;
    }
    if (const auto set = overrides.find(param->name); set != overrides.end())
      apply_override(scope, set->second, *param);
    scope.add_param(*std::move(param));
  }
  for (const auto& [name, text] : overrides) {
    if (std::find(declared.begin(), declared.end(), name) != declared.end()) continue;
    scope.reporter().report_at("unknown-param", {fmt::format("--set {}={}", name, text), 0, 0},
                               fmt::format("the covenant has no param `{}`", name), did_you_mean(name, declared));
  }
}

}  // namespace accord
