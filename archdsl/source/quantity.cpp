#include "archdsl/source/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "archdsl/source/suggest.h"

namespace accord {

namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double scale;
};

constexpr std::array units = {
    Unit{"B", Dimension::bytes, 1},
    Unit{"kB", Dimension::bytes, 1e3},
    Unit{"MB", Dimension::bytes, 1e6},
    Unit{"GB", Dimension::bytes, 1e9},
    Unit{"KiB", Dimension::bytes, 1024.0},
    Unit{"MiB", Dimension::bytes, 1024.0 * 1024},
    Unit{"GiB", Dimension::bytes, 1024.0 * 1024 * 1024},
    Unit{"TiB", Dimension::bytes, 1024.0 * 1024 * 1024 * 1024},
    Unit{"Hz", Dimension::frequency, 1},
    Unit{"kHz", Dimension::frequency, 1e3},
    Unit{"MHz", Dimension::frequency, 1e6},
    Unit{"GHz", Dimension::frequency, 1e9},
    Unit{"s", Dimension::time, 1},
    Unit{"ms", Dimension::time, 1e-3},
    Unit{"us", Dimension::time, 1e-6},
    Unit{"ns", Dimension::time, 1e-9},
    Unit{"ps", Dimension::time, 1e-12},
    Unit{"cycles", Dimension::cycles, 1},
    Unit{"cycle", Dimension::cycles, 1},
    Unit{"pJ", Dimension::energy, 1},
    Unit{"fJ", Dimension::energy, 1e-3},
    Unit{"nJ", Dimension::energy, 1e3},
    Unit{"uJ", Dimension::energy, 1e6},
    Unit{"B/s", Dimension::bytes_per_second, 1},
    Unit{"kB/s", Dimension::bytes_per_second, 1e3},
    Unit{"MB/s", Dimension::bytes_per_second, 1e6},
    Unit{"GB/s", Dimension::bytes_per_second, 1e9},
    Unit{"TB/s", Dimension::bytes_per_second, 1e12},
};

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

Quantity whole(std::int64_t value, Dimension dimension = Dimension::none) {
  Quantity quantity;
  quantity.dimension = dimension;
  quantity.integer = value;
  return quantity;
}

Quantity fraction(double value, Dimension dimension) {
  Quantity quantity;
  quantity.dimension = dimension;
  quantity.integral = false;
  quantity.real = value;
  return quantity;
}

Quantity real(double value, Dimension dimension = Dimension::none) { return make_quantity(value, dimension); }

Quantity failed(std::size_t offset, std::size_t length, std::string message) {
  return failed_quantity(offset, length, std::move(message));
}

std::optional<Quantity> read_digits(std::string_view digits) {
  const bool hexadecimal = digits.starts_with("0x");
  const char* const begin = digits.data() + (hexadecimal ? 2 : 0);
  const char* const end = digits.data() + digits.size();
  std::int64_t value = 0;
  if (const auto [stop, status] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
      stop == end && status == std::errc()) {
    return whole(value);
  }
  if (hexadecimal || digits.find('.') == 0) return std::nullopt;
  double number = 0;
  const auto [stop, status] = std::from_chars(begin, end, number);
  if (stop != end || status != std::errc() || !std::isfinite(number)) return std::nullopt;
  return real(number);
}

Quantity scaled(const Quantity& number, const Unit& unit) {
  std::int64_t product = 0;
  const bool whole_scale = unit.scale >= 1;
  if (number.integral && whole_scale &&
      !__builtin_mul_overflow(number.integer, static_cast<std::int64_t>(unit.scale), &product)) {
    return whole(product, unit.dimension);
  }
  return real(number.number() * unit.scale, unit.dimension);
}

bool truthy(const Quantity& quantity) {
  return quantity.dimension == Dimension::word ? quantity.word != "false" : quantity.number() != 0;
}

std::optional<Dimension> product_dimension(std::string_view op, Dimension a, Dimension b) {
  if (b == Dimension::none) return a;
  if (op == "*" && a == Dimension::none) return b;
  if (op != "*" && a == b) return op == "/" ? Dimension::none : a;
  const auto either = [&](Dimension x, Dimension y) { return (a == x && b == y) || (a == y && b == x); };
  if (op == "*" && either(Dimension::time, Dimension::frequency)) return Dimension::cycles;
  if (op == "*" && either(Dimension::time, Dimension::bytes_per_second)) return Dimension::bytes;
  if (op == "*" && either(Dimension::bytes, Dimension::frequency)) return Dimension::bytes_per_second;
  if (op == "/" && a == Dimension::bytes_per_second && b == Dimension::frequency) return Dimension::bytes;
  if (op == "/" && a == Dimension::bytes_per_second && b == Dimension::bytes) return Dimension::frequency;
  if (op == "/" && a == Dimension::cycles && b == Dimension::frequency) return Dimension::time;
  return std::nullopt;
}

std::optional<std::int64_t> exact(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (b == 0 || b == -1) return std::nullopt;
  if (op == "/") return a % b == 0 ? std::optional(a / b) : std::nullopt;
  return a % b;
}

double inexact(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  return op == "/" ? a / b : std::fmod(a, b);
}

bool compare(std::string_view op, const Quantity& a, const Quantity& b) {
  const auto holds = [&](const auto& x, const auto& y) {
    if (op == "<") return x < y;
    if (op == "<=") return x <= y;
    if (op == "==") return x == y;
    if (op == "!=") return x != y;
    return op == ">" ? x > y : x >= y;
  };
  if (a.dimension == Dimension::word) return holds(a.word, b.word);
  return a.integral && b.integral ? holds(a.integer, b.integer) : holds(a.number(), b.number());
}

/// Evaluates while it parses. Errors of value travel inside the result, so that the branch which `select` does not take
/// may divide by zero.
struct Evaluator {
  using Value = Quantity;

  const QuantityNames& names;

  Value number(std::string_view digits, std::string_view unit, std::size_t offset) const {
    const std::optional<Quantity> value = read_digits(digits);
    if (!value) throw ArithmeticError{offset, digits.size(), fmt::format("`{}` is not a number", digits)};
    if (unit.empty()) return *value;
    const Unit* const known = find_unit(unit);
    if (!known) {
      const auto start = static_cast<std::size_t>(unit.data() - digits.data());
      throw ArithmeticError{offset + start, unit.size(), fmt::format("unknown unit `{}`", unit)};
    }
    return scaled(*value, *known);
  }

  Value name(std::string_view text, std::size_t offset) const {
    if (text == "true" || text == "false") return whole(text == "true");
    if (std::optional<Quantity> value = names.value(text)) {
      if (value->error) value->error->offset = offset;
      return *std::move(value);
    }
    Value unknown = failed(offset, text.size(), fmt::format("unknown param `{}`", text));
    unknown.word = text;
    return unknown;
  }

  /// A name that is no param is a word where it is compared with one.
  static bool names_word(const Value& value, const Value& other) {
    return value.error && !value.word.empty() && !other.error && other.dimension == Dimension::word;
  }

  Value binary(std::string_view op, const Value& a, const Value& b, std::size_t offset) const {
    if ((op == "==" || op == "!=") && (names_word(a, b) || names_word(b, a))) {
      return whole((a.word == b.word) == (op == "=="));
    }
    if (a.error) return a;
    if (b.error) return b;
    const bool comparison = op.find_first_of("<>=!") != std::string_view::npos;
    const bool words = a.dimension == Dimension::word || b.dimension == Dimension::word;
    if (words && !(comparison && a.dimension == b.dimension)) {
      return failed(offset, op.size(), fmt::format("`{}` does not apply to words", op));
    }
    if (comparison || op == "+" || op == "-") {
      if (a.dimension != b.dimension && !is_zero(a) && !is_zero(b)) {
        return failed(offset, op.size(),
                      fmt::format("`{}` of {} and {}", op, describe(a.dimension), describe(b.dimension)));
      }
      if (comparison) return whole(compare(op, a, b));
      return arithmetic(op, a, b, is_zero(a) ? b.dimension : a.dimension, offset);
    }
    const std::optional<Dimension> dimension = product_dimension(op, a.dimension, b.dimension);
    if (!dimension) {
      return failed(offset, op.size(),
                    fmt::format("`{}` of {} and {}", op, describe(a.dimension), describe(b.dimension)));
    }
    return arithmetic(op, a, b, *dimension, offset);
  }

  static bool is_zero(const Value& a) { return a.dimension == Dimension::none && a.integral && a.integer == 0; }

  static Value arithmetic(std::string_view op, const Value& a, const Value& b, Dimension dimension,
                          std::size_t offset) {
    if ((op == "/" || op == "%") && b.number() == 0) return failed(offset, op.size(), "division by zero");
    if (a.integral && b.integral) {
      if (const auto result = exact(op, a.integer, b.integer)) return whole(*result, dimension);
      if (op == "/") return fraction(a.number() / b.number(), dimension);  // of which something is left, however little
    }
    const double result = inexact(op, a.number(), b.number());
    if (!std::isfinite(result)) return failed(offset, op.size(), "the result is too large");
    return real(result, dimension);
  }

  Value call(std::string_view function, const std::vector<Value>& args, std::size_t offset) const {
    const auto wrong = [&](std::string message) -> ArithmeticError {
      return {offset, function.size(), std::move(message)};
    };
    if (function == "select" && args.size() == 3) {
      if (args[0].error) return args[0];
      return truthy(args[0]) ? args[1] : args[2];
    }
    for (const Value& arg : args) {
      if (arg.error) return arg;
      if (arg.dimension == Dimension::word) return failed(offset, function.size(), "a number was expected");
    }
    if ((function == "min" || function == "max") && args.size() >= 2) return extreme(function, args, offset);
    if (function == "ceil_div" && args.size() == 2 && args[0].integral && args[1].integral && args[1].integer > 0) {
      const Value quotient = binary("/", args[0], args[1], offset);
      const std::int64_t more = args[0].integer % args[1].integer > 0 ? 1 : 0;
      return quotient.error ? quotient : whole(args[0].integer / args[1].integer + more, quotient.dimension);
    }
    if (function == "ceil_div" && args.size() == 2) return rounded(binary("/", args[0], args[1], offset), true);
    if ((function == "ceil" || function == "floor") && args.size() == 1) return rounded(args[0], function == "ceil");
    if (function == "log2" && args.size() == 1) {
      if (args[0].number() <= 0) return failed(offset, function.size(), "log2 of what is not positive");
      return real(std::log2(args[0].number()));
    }
    if (function == "pow" && args.size() == 2) {
      const double power = std::pow(args[0].number(), args[1].number());
      if (!std::isfinite(power)) return failed(offset, function.size(), "the result is too large");
      return real(power);
    }
    if (std::optional<Quantity> value = names.function(function, args)) {
      if (value->error) value->error->offset = offset;
      if (value->error) value->error->length = function.size();
      return *std::move(value);
    }
    static const std::map<std::string_view, int> arity = {{"min", 2}, {"max", 2},  {"ceil_div", 2}, {"log2", 1},
                                                          {"pow", 2}, {"ceil", 1}, {"floor", 1},    {"select", 3}};
    const auto known = arity.find(function);
    if (known != arity.end()) throw wrong(fmt::format("`{}` takes {} arguments", function, known->second));
    throw wrong(
        fmt::format("unknown function `{}`; known: min, max, ceil_div, log2, pow, ceil, floor, select", function));
  }

  Value extreme(std::string_view function, const std::vector<Value>& args, std::size_t offset) const {
    Value best = args[0];
    for (const Value& arg : args) {
      const Value smaller = binary("<", arg, best, offset);
      if (smaller.error) return smaller;
      const bool equal = compare("==", arg, best);
      if (!equal && (smaller.integer == 1) == (function == "min")) best = arg;
    }
    return best;
  }

  static Value rounded(const Value& value, bool up) {
    if (value.error || value.integral) return value;
    return real(up ? std::ceil(value.real) : std::floor(value.real), value.dimension);
  }
};

/// The one whole number whose digits alone are beyond the greatest.
std::optional<Quantity> least_whole(std::string_view text) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  return text == std::to_string(lowest) ? std::optional(whole(lowest)) : std::nullopt;
}

}  // namespace

Quantity failed_quantity(std::size_t offset, std::size_t length, std::string message) {
  Quantity quantity;
  quantity.error = ArithmeticError{offset, length, std::move(message)};
  return quantity;
}

Quantity make_quantity(double value, Dimension dimension) {
  const double nearest = std::round(value);
  const bool is_whole = std::abs(value - nearest) <= 1e-12 * std::abs(value);  // 50 ns * 2 GHz is 100 cycles
  if (std::abs(value) < 0x1p53 && is_whole) return whole(static_cast<std::int64_t>(nearest), dimension);
  return fraction(value, dimension);
}

Quantity evaluate_quantity(std::string_view text, const QuantityNames& names) {
  Evaluator evaluator{names};
  Quantity result = ArithmeticParser(text, evaluator).parse();
  if (result.error) throw *result.error;
  return result;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  static const QuantityNames no_names = {[](std::string_view) { return std::nullopt; },
                                         [](std::string_view, std::span<const Quantity>) { return std::nullopt; }};
  const bool negative = text.starts_with('-');
  Evaluator evaluator{no_names};
  try {
    Quantity value = ArithmeticParser(text.substr(negative ? 1 : 0), evaluator).parse_number();
    if (negative) {
      value.integer = -value.integer;
      value.real = -value.real;
    }
    return least_whole(text).value_or(value);
  } catch (const ArithmeticError&) {
    return std::nullopt;
  }
}

std::vector<std::string_view> units_of(Dimension dimension) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) {
    if (unit.dimension == dimension) names.push_back(unit.name);
  }
  return names;
}

std::string suggest_unit(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string_view::npos) return {};
  const std::size_t unit = text.find_first_not_of(' ', digits);
  if (unit == std::string_view::npos) return {};
  const std::string_view bits = text.substr(unit);
  if (bits == "bit" || bits == "bits") return "a unit of bits there is not: 8 bits are `1 B`";
  std::vector<std::string> names;
  for (const Unit& known : units) names.emplace_back(known.name);
  const std::string near = nearest(text.substr(unit), names);
  return near.empty() ? "" : fmt::format("did you mean `{}`?", near);
}

std::string to_string(const Quantity& quantity) {
  static constexpr std::array<std::string_view, 7> suffix = {"", " B", " Hz", " s", " cycles", " pJ", " B/s"};
  if (quantity.dimension == Dimension::word) return quantity.word;
  const std::string_view unit = suffix[static_cast<std::size_t>(quantity.dimension)];
  return quantity.integral ? fmt::format("{}{}", quantity.integer, unit) : fmt::format("{}{}", quantity.real, unit);
}

std::string_view describe(Dimension dimension) {
  static constexpr std::array<std::string_view, 8> texts = {"a plain number",
                                                            "bytes (such as `64 B`, `4 KiB`)",
                                                            "a frequency (such as `1 GHz`)",
                                                            "a time (such as `20 ns`)",
                                                            "cycles (such as `20 cycles`)",
                                                            "an energy (such as `0.5 pJ`)",
                                                            "a bandwidth (such as `25.6 GB/s`)",
                                                            "a word"};
  return texts[static_cast<std::size_t>(dimension)];
}

}  // namespace accord
