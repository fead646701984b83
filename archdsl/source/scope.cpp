#include "archdsl/source/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

#include "archdsl/source/suggest.h"

namespace accord {

namespace {

constexpr int deepest_params = 24;  ///< params that are read because another one needs them; bounds the stack

}  // namespace

int Scope::open(int parent) {
  Names& names = scopes_.emplace_back();
  names.parent = parent;
  return static_cast<int>(scopes_.size()) - 1;
}

Param& Scope::declare(int scope, Param param) {
  auto& slot = scopes_[static_cast<std::size_t>(scope)].params[param.name];
  slot = std::make_unique<Param>(std::move(param));
  return *slot;
}

Param* Scope::look_up(int scope, std::string_view name) {
  const auto& params = scopes_[static_cast<std::size_t>(scope)].params;
  const auto found = params.find(name);
  return found == params.end() ? nullptr : found->second.get();
}

void Scope::read(Param& param) {
  if (param.state != Param::State::pending) return;
  param.state = Param::State::reading;
  ++depth_;
  param.read(param);
  if (param.state == Param::State::reading) param.state = Param::State::broken;
  --depth_;
}

void Scope::read_all_params() {
  for (std::size_t s = 0; s < scopes_.size(); ++s) {
    for (const auto& [name, param] : scopes_[s].params) read(*param);
  }
}

std::vector<const Param*> Scope::unused_params() const {
  std::map<std::tuple<int, int, int>, const Param*> unused;
  const auto key = [](const Param& param) {
    return std::tuple(param.place.file, param.place.line, param.place.column);
  };
  const auto each = [&](const auto& visit) {
    for (const Names& names : scopes_) {
      for (const auto& [name, param] : names.params) visit(*param);
    }
  };
  each([&](const Param& param) { unused.emplace(key(param), &param); });
  each([&](const Param& param) {
    if (param.used) unused.erase(key(param));
  });
  std::vector<const Param*> result;
  for (const auto& [place, param] : unused) result.push_back(param);
  return result;
}

std::vector<std::string> Scope::visible_names(int scope) const {
  std::vector<std::string> names;
  for (; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    for (const auto& [name, param] : scopes_[static_cast<std::size_t>(scope)].params) names.push_back(name);
  }
  for (const auto& [name, table] : tables_) {
    for (const auto& [figure, value] : table.values) names.push_back(fmt::format("{}.{}", name, figure));
  }
  return names;
}

std::optional<Quantity> Scope::value_of(int scope, std::string_view name) {
  for (; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    Param* const param = look_up(scope, name);
    if (!param) continue;
    if (param->state == Param::State::reading)
      return failed_quantity(0, name.size(), fmt::format("`{}` depends on itself", name));
    if (param->state == Param::State::pending && depth_ >= deepest_params)
      return failed_quantity(0, name.size(),
                             fmt::format("more than {} params that each need the next", deepest_params));
    read(*param);
    param->used = true;
    Quantity value = param->value;
    if (param->state == Param::State::broken) value.error = ArithmeticError{};
    return value;
  }
  const std::size_t dot = name.find('.');
  const auto table = tables_.find(name.substr(0, dot));
  if (dot == std::string_view::npos || table == tables_.end()) return std::nullopt;
  return table->second.value(name.substr(dot + 1));
}

const FigureTable* Scope::table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}

std::optional<Quantity> Scope::call(std::string_view function, std::span<const Quantity> arguments) const {
  const std::size_t dot = function.find('.');
  const auto table = tables_.find(function.substr(0, dot));
  if (dot == std::string_view::npos || table == tables_.end()) return std::nullopt;
  return table->second.evaluate(function.substr(dot + 1), arguments);
}

std::optional<Quantity> Scope::evaluate(const Node& scalar, std::size_t offset, std::string_view expression) {
  const QuantityNames names = {
      [&](std::string_view name) { return value_of(scalar.scope, name); },
      [&](std::string_view function, std::span<const Quantity> arguments) { return call(function, arguments); }};
  try {
    return evaluate_quantity(expression, names);
  } catch (const ArithmeticError& error) {
    if (error.message.empty()) {
      reporter_.follow_up();
      return std::nullopt;
    }
    ResolvedText verbatim{scalar.text, {{0, 0, scalar.text.size(), true}}};
    const bool unknown = error.message.starts_with("unknown param");
    const std::string name(expression.substr(std::min(error.offset, expression.size()), error.length));
    reporter_.report(unknown ? "unknown-param" : "bad-expression",
                     place_of(scalar, verbatim, offset + error.offset, error.length), error.message,
                     unknown ? did_you_mean(name, visible_names(scalar.scope)) : "");
    return std::nullopt;
  }
}

std::optional<ResolvedText> Scope::resolve(const Node& scalar) {
  ResolvedText resolved;
  const std::string& source = scalar.text;
  const auto append = [&](std::string_view piece, std::size_t from, std::size_t length, bool literal) {
    resolved.pieces.push_back({resolved.text.size(), from, length, literal});
    resolved.text += piece;
  };
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t open = source.find("${", at);
    const std::size_t literal_end = std::min(open, source.size());
    if (literal_end > at) append(std::string_view(source).substr(at, literal_end - at), at, literal_end - at, true);
    if (open == std::string::npos) break;
    const std::size_t end = source.find('}', open);
    if (end == std::string::npos) {
      ResolvedText verbatim{source, {{0, 0, source.size(), true}}};
      reporter_.report("bad-expression", place_of(scalar, verbatim, open, 2), "`${` without its `}`",
                       scalar.quoted ? "" : "in a list or map in braces, quote the value: \"${...}\"");
      return std::nullopt;
    }
    const auto value = evaluate(scalar, open + 2, std::string_view(source).substr(open + 2, end - open - 2));
    if (!value) return std::nullopt;
    append(to_string(*value), open, end + 1 - open, false);
    at = end + 1;
  }
  return resolved;
}

Place Scope::place_of(const Node& scalar, const ResolvedText& text, std::size_t offset, std::size_t length) const {
  std::size_t from = scalar.text.size();
  std::size_t shown = length;
  for (const ResolvedText::Piece& piece : text.pieces) {
    if (piece.to > offset) break;
    from = piece.literal ? piece.from + std::min(offset - piece.to, piece.length) : piece.from;
    if (!piece.literal) shown = piece.length;
  }
  const std::string_view line = reporter_.line(scalar.place);
  const std::size_t start = line.find(scalar.text, static_cast<std::size_t>(std::max(scalar.place.column - 1, 0)));
  if (scalar.text.empty() || start == std::string_view::npos) return scalar.place;
  Place place = scalar.place;
  place.column = static_cast<int>(start + from) + 1;
  place.length = static_cast<int>(std::max<std::size_t>(shown, 1));
  return place;
}

std::optional<std::string> Scope::text(const Node& node, std::string_view what) {
  if (!node.is_scalar()) {
    reporter_.report("wrong-form", node.place, fmt::format("{} is a single value, not {}", what, describe(node.kind)));
    return std::nullopt;
  }
  auto resolved = resolve(node);
  if (!resolved) return std::nullopt;
  return std::move(resolved->text);
}

std::optional<Quantity> Scope::quantity(const Node& node, std::string_view what, Dimension expected) {
  const auto value = text(node, what);
  if (!value) return std::nullopt;
  return parse(node, *value, what, expected);
}

std::optional<Quantity> Scope::parse(const Node& node, const std::string& text, std::string_view what,
                                     Dimension expected) {
  if (auto value = parse_quantity(text)) return value;
  reporter_.report("wrong-value", node.place, fmt::format("{}: `{}` is not {}", what, text, describe(expected)),
                   suggest_unit(text));
  return std::nullopt;
}

std::optional<std::int64_t> Scope::in_range(const Node& node, const Quantity& quantity, std::string_view what,
                                            Range range) {
  if (!quantity.integral && std::abs(quantity.real) < 0x1p53) {
    reporter_.report("wrong-value", node.place, fmt::format("{}: {} is not a whole number", what, to_string(quantity)));
    return std::nullopt;
  }
  if (!quantity.integral || quantity.integer < range.low || quantity.integer > range.high) {
    const std::string limits = range.high >= greatest_quantity
                                   ? fmt::format("at least {}", range.low)
                                   : fmt::format("between {} and {}", range.low, range.high);
    const bool absurd = quantity.number() > static_cast<double>(range.high) && range.high >= greatest_quantity;
    reporter_.report("out-of-range", node.place,
                     fmt::format("{} must be {}, not {}", what, absurd ? "at most 2^50" : limits, to_string(quantity)));
    return std::nullopt;
  }
  return quantity.integer;
}

std::optional<std::int64_t> Scope::integer(const Node& node, std::string_view what, Range range) {
  const auto value = quantity(node, what);
  if (!value) return std::nullopt;
  if (value->dimension != Dimension::none) {
    reporter_.report("wrong-value", node.place, fmt::format("{} is a plain number, without a unit", what));
    return std::nullopt;
  }
  return in_range(node, *value, what, range);
}

std::optional<std::int64_t> Scope::bytes(const Node& node, std::string_view what, Range range) {
  const auto source = text(node, what);
  const auto value = source ? parse(node, *source, what, Dimension::bytes) : std::nullopt;
  if (!value) return std::nullopt;
  if (value->dimension != Dimension::bytes) {
    reporter_.report("wrong-value", node.place, fmt::format("{} is in {}", what, describe(Dimension::bytes)),
                     value->dimension == Dimension::none ? fmt::format("write `{} B`", *source) : "");
    return std::nullopt;
  }
  return in_range(node, *value, what, range);
}

std::optional<std::int64_t> Scope::cycles(const Node& node, std::string_view what, Range range) {
  const auto source = text(node, what);
  auto value = source ? parse(node, *source, what, Dimension::cycles) : std::nullopt;
  if (!value) return std::nullopt;
  if (value->dimension == Dimension::time) {
    const double count = std::ceil(value->number() * clock_hz_ - 1e-6);
    value = parse_quantity(fmt::format("{:.0f} cycles", std::clamp(count, -0x1p52, 0x1p52)));
  } else if (value->dimension != Dimension::none && value->dimension != Dimension::cycles) {
    reporter_.report("wrong-value", node.place, fmt::format("{} is in cycles or a time (such as `20 ns`)", what));
    return std::nullopt;
  }
  return in_range(node, *value, what, range);
}

std::optional<std::int64_t> Scope::bytes_per_cycle(const Node& node, std::string_view what, Range range) {
  const auto source = text(node, what);
  const auto value = source ? parse(node, *source, what, Dimension::bytes) : std::nullopt;
  if (!value) return std::nullopt;
  if (value->dimension == Dimension::bytes) return in_range(node, *value, what, range);
  reporter_.report("wrong-value", node.place,
                   fmt::format("{} is in bytes per cycle (`16 B`) or a bandwidth (`16 GB/s`)", what));
  return std::nullopt;
}

std::optional<double> Scope::frequency(const Node& node, std::string_view what) {
  const auto source = text(node, what);
  const auto value = source ? parse(node, *source, what, Dimension::frequency) : std::nullopt;
  if (!value) return std::nullopt;
  if (value->dimension == Dimension::frequency && value->number() >= 1 && value->number() <= 1e15)
    return value->number();
  reporter_.report("wrong-value", node.place,
                   fmt::format("{} is a frequency of 1 Hz to 10^15 Hz (such as `1 GHz`), not {}", what, *source));
  return std::nullopt;
}

std::optional<double> Scope::energy(const Node& node, std::string_view what) {
  const auto source = text(node, what);
  const auto value = source ? parse(node, *source, what, Dimension::energy) : std::nullopt;
  if (!value) return std::nullopt;
  const bool unit = value->dimension == Dimension::energy || value->dimension == Dimension::none;
  if (unit && value->number() >= 0 && value->number() < 1e15) return value->number();
  reporter_.report("wrong-value", node.place,
                   fmt::format("{} is an energy of at least 0 (such as `0.5 pJ`), not {}", what, *source));
  return std::nullopt;
}

std::optional<double> Scope::non_negative(const Node& node, std::string_view what) {
  const auto value = quantity(node, what);
  if (!value) return std::nullopt;
  if (value->dimension == Dimension::none && value->number() >= 0 && value->number() < 1e18) return value->number();
  reporter_.report("wrong-value", node.place, fmt::format("{} is a plain number of at least 0", what));
  return std::nullopt;
}

std::optional<bool> Scope::flag(const Node& node, std::string_view what) {
  const auto value = text(node, what);
  if (!value) return std::nullopt;
  if (*value == "true" || *value == "1") return true;
  if (*value == "false" || *value == "0") return false;
  reporter_.report("wrong-value", node.place, fmt::format("{} is `true` or `false`, not `{}`", what, *value));
  return std::nullopt;
}

std::span<const NodeEntry> Scope::entries(const Node* node, std::string_view what, std::size_t most) {
  if (!node) return {};
  if (!node->is_map()) {
    reporter_.report("wrong-form", node->place, fmt::format("{} must be a map, not {}", what, describe(node->kind)));
    return {};
  }
  if (node->entries.size() <= most) return node->entries;
  reporter_.report("out-of-range", node->place,
                   fmt::format("{} has {} entries; {} are the most", what, node->entries.size(), most));
  return {};
}

bool Scope::check_name(const std::string& name, const Place& place, std::string_view what) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  const auto legal = [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); };
  if (!name.empty() && name.size() <= 64 && letter(name[0]) && std::all_of(name.begin(), name.end(), legal))
    return true;
  reporter_.report("bad-name", place,
                   fmt::format("{}: a name is up to 64 letters, digits and `_`, not `{}`", what, name));
  return false;
}

}  // namespace accord
