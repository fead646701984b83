#include "archdsl/tensor/typing.h"

#include <array>
#include <utility>

namespace accord {
namespace {

struct Operation {
  std::string_view name;
  int arity;
};

// In the order of ExprOp.
constexpr std::array<Operation, expression_operations> operations = {{
    {"constant", 0},    {"access", 0}, {"cast", 1},       {"add", 2},   {"sub", 2},       {"mul", 2},
    {"div", 2},         {"min", 2},    {"max", 2},        {"neg", 1},   {"abs", 1},       {"shift_left", 2},
    {"shift_right", 2}, {"round", 1},  {"round_away", 1}, {"floor", 1}, {"ceil", 1},      {"exp", 1},
    {"log", 1},         {"sqrt", 1},   {"tanh", 1},       {"erf", 1},   {"sin", 1},       {"cos", 1},
    {"tan", 1},         {"asin", 1},   {"acos", 1},       {"atan", 1},  {"sinh", 1},      {"cosh", 1},
    {"asinh", 1},       {"acosh", 1},  {"atanh", 1},      {"pow", 2},   {"remainder", 2}, {"less", 2},
    {"equal", 2},       {"select", 3},
}};

ElementType common_integer(ElementType a, ElementType b) {
  if (a == b) return a;
  if ((a == ElementType::u8) != (b == ElementType::u8)) {
    const ElementType other = a == ElementType::u8 ? b : a;
    return bits(other) <= 8 ? ElementType::i16 : other;
  }
  return highest(a) > highest(b) ? a : b;
}

ElementType common_float(ElementType a, ElementType b) {
  if (a == b) return a;
  if (bits(a) == bits(b)) return bits(a) == 8 ? ElementType::fp16 : ElementType::fp32;
  return bits(a) > bits(b) ? a : b;
}

}  // namespace

ElementType common_type(ElementType a, ElementType b) {
  if (is_float(a) && is_float(b)) return common_float(a, b);
  if (!is_float(a) && !is_float(b)) return common_integer(a, b);
  const ElementType integer = is_float(a) ? b : a;
  return bits(integer) >= 32 ? ElementType::fp32 : is_float(a) ? a : b;
}

ElementType transcendental_type(ElementType type) { return is_float(type) ? type : ElementType::fp32; }

int arity(ExprOp op) { return operations[static_cast<std::size_t>(op)].arity; }

std::string_view name(ExprOp op) { return operations[static_cast<std::size_t>(op)].name; }

ExprPtr make_cast(ExprPtr expr, ElementType type) {
  if (expr->type == type) return expr;
  Expr cast{ExprOp::cast, type, 0, -1, {}};
  cast.args.push_back(std::move(expr));
  return std::make_shared<const Expr>(std::move(cast));
}

}  // namespace accord
