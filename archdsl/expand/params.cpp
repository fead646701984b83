#include "archdsl/expand/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "archdsl/source/suggest.h"

namespace accord {

namespace {

constexpr std::size_t most_params = 1024;

struct ParamType {
  std::string_view word;
  Dimension dimension;
};

/// `integer`, `number` and `flag` are plain numbers; what they admit beyond that is checked apart.
constexpr std::array types = {ParamType{"integer", Dimension::none},
                              ParamType{"number", Dimension::none},
                              ParamType{"flag", Dimension::none},
                              ParamType{"bytes", Dimension::bytes},
                              ParamType{"frequency", Dimension::frequency},
                              ParamType{"time", Dimension::time},
                              ParamType{"cycles", Dimension::cycles},
                              ParamType{"energy", Dimension::energy},
                              ParamType{"bandwidth", Dimension::bytes_per_second},
                              ParamType{"word", Dimension::word}};

/// A number with its unit, or a bare word.
std::optional<Quantity> parse_value(const std::string& text) {
  if (auto quantity = parse_quantity(text)) return quantity;
  if (text == "true" || text == "false") return make_quantity(text == "true", Dimension::none);
  const auto legal = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (text.empty() || text.size() > 64 || std::isdigit(static_cast<unsigned char>(text[0]))) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), legal)) return std::nullopt;
  Quantity word;
  word.dimension = Dimension::word;
  word.word = text;
  return word;
}

bool below(const Quantity& a, const Quantity& b) {
  return a.integral && b.integral ? a.integer < b.integer : a.number() < b.number();
}

bool same(const Quantity& a, const Quantity& b) {
  if (a.dimension != b.dimension) return false;
  return a.dimension == Dimension::word ? a.word == b.word : !below(a, b) && !below(b, a);
}

/// Empty where the value is one of the param's legal ones.
std::string mistake_of(const Param& param, const Quantity& value) {
  const bool outside = (param.low && below(value, *param.low)) || (param.high && below(*param.high, value));
  if (outside) {
    return fmt::format("param `{}` must lie between {} and {}, not {}", param.name, to_string(*param.low),
                       to_string(*param.high), to_string(value));
  }
  const auto equals = [&](const Quantity& legal) { return same(legal, value); };
  if (param.values.empty() || std::any_of(param.values.begin(), param.values.end(), equals)) return {};
  std::vector<std::string> legal;
  for (const Quantity& one : param.values) legal.push_back(to_string(one));
  return fmt::format("param `{}` must be one of {}, not {}", param.name, fmt::join(legal, ", "), to_string(value));
}

/// Reads one declaration; the value itself when it is first asked for.
class ParamReader {
 public:
  ParamReader(Scope& scope, const NodeEntry& entry) : scope_(scope), entry_(entry) {}

  /// `given` replaces the default: an argument's node, or an override's text with its place.
  void read(Param& param, const Node* argument, const std::string* override_text) {
    const std::string what = fmt::format("param `{}`", param.name);
    const Node* value = &entry_.value;
    const Node* range = nullptr;
    const Node* values = nullptr;
    const Node* type = nullptr;
    if (entry_.value.is_map()) {
      MapReader reader(scope_, entry_.value, "param", what);
      value = reader.find("value");
      range = reader.find("range");
      values = reader.find("values");
      type = reader.find("type");
      unit_ = reader.text("unit");
      if (!unit_.empty() && !parse_quantity("1 " + unit_)) {
        report("wrong-value", reader.find("unit")->place, fmt::format("unknown unit `{}`", unit_));
        return;
      }
      type_ = reader.word("type");
    }
    auto quantity = value ? read_value(*value, what) : std::nullopt;
    if (!quantity || (type && !check_type(*quantity, type->place))) return;
    param.value = *quantity;
    const std::size_t errors = scope_.reporter().errors();
    if (range) read_range(*range, param);
    if (values) read_values(*values, param);
    if (const std::string mistake = mistake_of(param, param.value); !mistake.empty()) {
      report("out-of-range", value->place, mistake);
    }
    if (argument) replace(*argument, param);
    if (override_text) replace(*override_text, param);
    if (scope_.reporter().errors() == errors) param.state = Param::State::ready;
  }

 private:
  void report(std::string_view code, const Place& place, std::string message, std::string hint = {}) {
    scope_.reporter().report(code, place, std::move(message), std::move(hint));
  }

  std::optional<Quantity> read_value(const Node& node, const std::string& what) {
    const auto text = scope_.text(node, what);
    if (!text) return std::nullopt;
    auto value = parse_value(*text);
    if (!value) {
      report(
          "wrong-value", node.place,
          fmt::format("{}: `{}` is neither a number with a known unit nor a word", what, *text),
          text->find_first_of("+-*/(") != std::string::npos ? "an expression stands in `${...}`" : suggest_unit(*text));
      return std::nullopt;
    }
    return with_unit(*value);
  }

  Quantity with_unit(const Quantity& value) const {
    if (unit_.empty() || value.dimension != Dimension::none) return value;
    return parse_quantity(fmt::format("{} {}", to_string(value), unit_)).value_or(value);
  }

  bool check_type(const Quantity& value, const Place& place) {
    const auto known = std::find_if(types.begin(), types.end(), [&](const ParamType& t) { return t.word == type_; });
    if (known == types.end()) return false;
    const bool whole = type_ != "integer" || value.integral;
    const bool flag = type_ != "flag" || (value.integral && (value.integer == 0 || value.integer == 1));
    if (value.dimension == known->dimension && whole && flag) return true;
    report("wrong-value", place, fmt::format("the value {} is not of the type {}", to_string(value), type_));
    return false;
  }

  void read_range(const Node& node, Param& param) {
    if (!node.is_sequence() || node.items.size() != 2) {
      report("wrong-form", node.place, "a range is a list of two numbers: [lowest, highest]");
      return;
    }
    const auto low = read_value(node.items[0], "range"), high = read_value(node.items[1], "range");
    if (!low || !high) return;
    const Dimension dimension = param.value.dimension;
    if (low->dimension != dimension || high->dimension != dimension || dimension == Dimension::word) {
      report("wrong-value", node.place, "the range must have the unit of the value");
      return;
    }
    if (below(*high, *low)) {
      report("wrong-value", node.place,
             fmt::format("no value lies between {} and {}", to_string(*low), to_string(*high)),
             "a range is [lowest, highest]");
      return;
    }
    param.low = low;
    param.high = high;
  }

  void read_values(const Node& node, Param& param) {
    if (!node.is_sequence() || node.items.empty()) {
      report("wrong-form", node.place, "values is a list of the legal values");
      return;
    }
    for (const Node& item : node.items) {
      const auto value = read_value(item, "values");
      if (value && !same_kind(param, *value)) {
        report("wrong-value", item.place,
               fmt::format("param `{}` is {}, and `{}` is not", param.name, kind_of(param), to_string(*value)));
      } else if (value) {
        param.values.push_back(*value);
      }
    }
  }

  bool same_kind(const Param& param, const Quantity& value) const {
    return value.dimension == param.value.dimension && (value.integral || !param.value.integral || type_ == "number");
  }

  std::string kind_of(const Param& param) const {
    return param.value.dimension == Dimension::none && param.value.integral
               ? "a whole number"
               : std::string(describe(param.value.dimension));
  }

  void replace(const Node& argument, Param& param) {
    const auto value = read_value(argument, fmt::format("argument `{}`", param.name));
    if (!value) return;
    if (!same_kind(param, *value)) {
      report("bad-argument", argument.place,
             fmt::format("param `{}` is {}, not `{}`", param.name, kind_of(param), to_string(*value)));
    } else if (const std::string mistake = mistake_of(param, *value); !mistake.empty()) {
      report("out-of-range", argument.place, mistake);
    } else {
      param.value = *value;
    }
  }

  void replace(const std::string& text, Param& param) {
    const Location where{fmt::format("--set {}={}", param.name, text), 0, 0};
    auto value = parse_value(text);
    if (value) value = with_unit(*value);
    if (!value || !same_kind(param, *value)) {
      scope_.reporter().report_at("bad-override", where,
                                  fmt::format("param `{}` is {}, not `{}`", param.name, kind_of(param), text));
    } else if (const std::string mistake = mistake_of(param, *value); !mistake.empty()) {
      scope_.reporter().report_at("out-of-range", where, mistake);
    } else {
      param.value = *value;
    }
  }

  Scope& scope_;
  const NodeEntry& entry_;
  std::string unit_;
  std::string type_;
};

Param& declare(Scope& scope, int inner, const NodeEntry& entry, const Node* argument, const std::string* given) {
  Param param;
  param.name = entry.key.text;
  param.place = entry.key.place;
  param.state = Param::State::pending;
  const bool named = scope.check_name(param.name, entry.key.place, "param");
  param.read = [&scope, &entry, argument, text = given ? std::optional(*given) : std::nullopt, named](Param& self) {
    if (named) ParamReader(scope, entry).read(self, argument, text ? &*text : nullptr);
  };
  return scope.declare(inner, std::move(param));
}

}  // namespace

void declare_params(Scope& scope, const Node* params, const std::map<std::string, std::string>& overrides) {
  std::vector<std::string> declared;
  for (const NodeEntry& entry : scope.entries(params, "params", most_params)) {
    declared.push_back(entry.key.text);
    const auto set = overrides.find(entry.key.text);
    declare(scope, 0, entry, nullptr, set == overrides.end() ? nullptr : &set->second);
  }
  for (const auto& [name, text] : overrides) {
    if (std::find(declared.begin(), declared.end(), name) != declared.end()) continue;
    scope.reporter().report_at("unknown-param", {fmt::format("--set {}={}", name, text), 0, 0},
                               fmt::format("the covenant has no param `{}`", name), did_you_mean(name, declared));
  }
}

void declare_arguments(Scope& scope, const Node* params, const Node* arguments, int inner) {
  std::vector<std::string> declared;
  for (const NodeEntry& entry : scope.entries(params, "params", most_params)) {
    declared.push_back(entry.key.text);
    declare(scope, inner, entry, arguments ? arguments->find(entry.key.text) : nullptr, nullptr);
  }
  for (const NodeEntry& entry : scope.entries(arguments, "with", most_params)) {
    if (std::find(declared.begin(), declared.end(), entry.key.text) != declared.end()) continue;
    scope.reporter().report("unknown-param", entry.key.place,
                            fmt::format("the template has no param `{}`", entry.key.text),
                            did_you_mean(entry.key.text, declared));
  }
}

}  // namespace accord
