#include "archdsl/source/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>

#include "archdsl/source/arithmetic.h"
#include "archdsl/source/error.h"

namespace accord {

namespace {

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t stack_size = 64;

enum class Op : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  ceil_divide,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  not_equal,
  greater_equal,
  greater,
  select
};

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == least && b == -1)) return greatest;
  return a / b;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == least && b == -1)) return greatest;
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return greatest;
  return b == -1 ? 0 : a % b;
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a > 0 ? greatest : least) : sum;
}

std::int64_t subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? (b < 0 ? greatest : least) : difference;
}

std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? greatest : least) : product;
}

std::int64_t apply(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::add: return add(a, b);
    case Op::subtract: return subtract(a, b);
    case Op::multiply: return multiply(a, b);
    case Op::divide: return divide(a, b);
    case Op::remainder: return remainder(a, b);
    case Op::ceil_divide: return ceil_divide(a, b);
    case Op::minimum: return std::min(a, b);
    case Op::maximum: return std::max(a, b);
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::greater_equal: return a >= b;
    case Op::greater: return a > b;
    default: return 0;
  }
}

}  // namespace

struct Formula::Node {
  Op op;
  std::int64_t value;  ///< constant, or index of the variable
};

namespace {

/// Emits postfix code; the parser's value is how many stack slots a sub-expression needs.
template <class Node>
struct PostfixBuilder {
  using Value = std::size_t;

  std::span<const std::string> variables;
  std::vector<Node> code;

  Value number(std::string_view digits, std::string_view unit, std::size_t offset) {
    if (!unit.empty()) throw ArithmeticError{offset, digits.size(), "a formula counts cycles and takes no units"};
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc() || end != digits.data() + digits.size()) {
      throw ArithmeticError{offset, digits.size(), fmt::format("`{}` is not an integer", digits)};
    }
    code.push_back({Op::constant, value});
    return 1;
  }

  Value name(std::string_view text, std::size_t offset) {
    const auto found = std::find(variables.begin(), variables.end(), text);
    if (found == variables.end()) {
      throw ArithmeticError{offset, text.size(),
                            fmt::format("unknown name `{}`; known here: {}", text, fmt::join(variables, ", "))};
    }
    code.push_back({Op::variable, found - variables.begin()});
    return 1;
  }

  Value binary(std::string_view op, Value left, Value right, std::size_t offset) {
    static const std::map<std::string_view, Op> operators = {
        {"+", Op::add},        {"-", Op::subtract}, {"*", Op::multiply},      {"/", Op::divide},
        {"%", Op::remainder},  {"<", Op::less},     {"<=", Op::less_equal},   {"==", Op::equal},
        {"!=", Op::not_equal}, {">", Op::greater},  {">=", Op::greater_equal}};
    code.push_back({operators.at(op), 0});
    return checked(std::max(left, right + 1), offset);
  }

  Value call(std::string_view function, const std::vector<Value>& args, std::size_t offset) {
    static const std::map<std::string_view, Op> functions = {
        {"min", Op::minimum}, {"max", Op::maximum}, {"ceil_div", Op::ceil_divide}, {"select", Op::select}};
    const auto found = functions.find(function);
    if (found == functions.end()) {
      throw ArithmeticError{offset, function.size(),
                            fmt::format("unknown function `{}`; known: min, max, ceil_div, select", function)};
    }
    const std::size_t arity = found->second == Op::select ? 3 : 2;
    const bool variadic = found->second == Op::minimum || found->second == Op::maximum;
    if (args.size() < arity || (args.size() > arity && !variadic)) {
      throw ArithmeticError{offset, function.size(), fmt::format("`{}` takes {} arguments", function, arity)};
    }
    std::size_t depth = 0;
    for (std::size_t i = 0; i < args.size(); ++i) depth = std::max(depth, args[i] + i);
    for (std::size_t i = arity; i <= args.size(); ++i) code.push_back({found->second, 0});
    return checked(depth, offset);
  }

  Value checked(std::size_t depth, std::size_t offset) const {
    if (depth > stack_size) throw ArithmeticError{offset, 1, "nested too deeply"};
    return depth;
  }
};

}  // namespace

Formula::Formula(const std::string& text, std::span<const std::string> variables) : text_(text) {
  PostfixBuilder<Node> builder{variables, {}};
  try {
    ArithmeticParser parser(text_, builder);
    parser.parse();
  } catch (const ArithmeticError& error) {
    throw Error(fmt::format("@{}: {}", error.offset, error.message));
  }
  code_ = std::make_shared<const std::vector<Node>>(std::move(builder.code));
}

std::int64_t Formula::evaluate(std::span<const std::int64_t> values) const {
  if (!code_) return 0;
  std::array<std::int64_t, stack_size> stack;
  std::size_t top = 0;
  for (const Node& node : *code_) {
    switch (node.op) {
      case Op::constant: stack[top++] = node.value; break;
      case Op::variable: stack[top++] = values[static_cast<std::size_t>(node.value)]; break;
      case Op::select:
        top -= 2;
        stack[top - 1] = stack[top - 1] != 0 ? stack[top] : stack[top + 1];
        break;
      default: --top; stack[top - 1] = apply(node.op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

}  // namespace accord
