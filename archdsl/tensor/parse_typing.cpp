#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parser.h"
#include "archdsl/tensor/typing.h"

namespace accord {
namespace {

ExprPtr constant(double value, ElementType type) {
  return std::make_shared<const Expr>(Expr{ExprOp::constant, type, value, -1, {}});
}

bool is_integral(double value) { return std::fabs(value) <= 0x1p53 && std::floor(value) == value; }

ElementType literal_type(double value) {
  if (!is_integral(value)) return ElementType::fp32;
  return std::fabs(value) < 0x1p31 ? ElementType::i32 : ElementType::i64;
}

bool is_transcendental(ExprOp op) { return op >= ExprOp::exp && op <= ExprOp::pow; }
bool is_shift(ExprOp op) { return op == ExprOp::shift_left || op == ExprOp::shift_right; }
bool is_comparison(ExprOp op) { return op == ExprOp::less || op == ExprOp::equal; }
bool is_bound(ExprOp op) { return op == ExprOp::min || op == ExprOp::max; }

}  // namespace

StatementParser::Typed StatementParser::literal(double value, Place place) {
  return {constant(value, literal_type(value)), place.offset, place.length, 1, true};
}

bool StatementParser::fold(ExprOp op, const std::vector<Typed>& args, Place place, double& result) {
  if (!std::all_of(args.begin(), args.end(), [](const Typed& arg) { return arg.literal; })) return false;
  const double a = args[0].expr->value;
  const double b = args.back().expr->value;
  switch (op) {
    case ExprOp::neg: result = -a; break;
    case ExprOp::abs: result = std::fabs(a); break;
    case ExprOp::add: result = a + b; break;
    case ExprOp::sub: result = a - b; break;
    case ExprOp::mul: result = a * b; break;
    case ExprOp::div: result = a / b; break;
    case ExprOp::min: result = std::min(a, b); break;
    case ExprOp::max: result = std::max(a, b); break;
    case ExprOp::shift_left:
      if (!is_integral(a) || !is_integral(b) || b < 0 || b > 52) return false;
      result = std::ldexp(a, static_cast<int>(b));
      break;
    default: return false;
  }
  if (std::isnan(result) || (op == ExprOp::div && b == 0)) fail(place, "this constant has no value");
  return true;
}

// The type in which the operation computes; the result's type but for comparisons.
ElementType StatementParser::operand_type(ExprOp op, const std::vector<Typed>& args, Place place) {
  ElementType type{};
  const std::size_t first = op == ExprOp::select ? 1 : 0;
  const bool all_literal = std::all_of(args.begin() + static_cast<std::ptrdiff_t>(first), args.end(),
                                       [](const Typed& arg) { return arg.literal; });
  bool found = false;
  for (std::size_t i = first; i < args.size(); ++i) {
    if (args[i].literal && !all_literal) continue;
    type = found ? common_type(type, args[i].expr->type) : args[i].expr->type;
    found = true;
  }
  if (is_transcendental(op)) type = transcendental_type(type);
  if (is_shift(op) && is_float(type)) fail(place, fmt::format("cannot shift {}", name(type)));
  return type;
}

ExprPtr StatementParser::convert(ExprOp op, const Typed& arg, ElementType type) {
  if (!arg.literal) return make_cast(arg.expr, type);
  const double value = arg.expr->value;
  const Place place{arg.offset, arg.length};
  if (is_float(type)) {
    const double rounded = round_to(type, value);
    // The shortest text of the greatest fp32 lies above it.
    if (std::isfinite(value) && std::fabs(static_cast<float>(value)) > highest(type) && !is_bound(op))
      fail(place, fmt::format("constant {} is beyond {}", value, name(type)));
    return constant(rounded, type);
  }
  if (std::isfinite(value) && std::floor(value) != value)
    fail(place, fmt::format("constant {} is not an integer, but the other operand is {}", value, name(type)));
  if ((value < lowest(type) || value > highest(type)) && !is_bound(op))
    fail(place, fmt::format("constant {} does not fit the other operand's type {}", value, name(type)));
  return constant(std::clamp(value, lowest(type), highest(type)), type);
}

StatementParser::Typed StatementParser::node(ExprOp op, ElementType type, const std::vector<Typed>& args, Place place) {
  Typed result{nullptr, place.offset, place.length};
  for (const Typed& arg : args) result.depth = std::max(result.depth, arg.depth + 1);
  if (result.depth > max_depth) fail(place, "expression nests too deeply");
  Expr expr{op, type, 0, -1, {}};
  for (const Typed& arg : args) expr.args.push_back(arg.expr);
  result.expr = std::make_shared<const Expr>(std::move(expr));
  return result;
}

StatementParser::Typed StatementParser::apply(ExprOp op, std::vector<Typed> args, Place place) {
  if (double value = 0; fold(op, args, place, value)) return literal(value, place);
  const ElementType type = operand_type(op, args, place);
  for (std::size_t i = op == ExprOp::select ? 1 : 0; i < args.size(); ++i) {
    ExprPtr converted = convert(op, args[i], type);
    args[i].depth += converted != args[i].expr;
    args[i].expr = std::move(converted);
  }
  return node(op, is_comparison(op) ? ElementType::i32 : type, args, place);
}

StatementParser::Typed StatementParser::apply_cast(ElementType type, Typed arg, Place place) {
  const bool identity = !arg.literal && arg.expr->op != ExprOp::constant && arg.expr->type == type;
  if (!identity) return node(ExprOp::cast, type, {std::move(arg)}, place);
  arg.offset = place.offset;
  arg.length = place.length;
  return arg;
}

}  // namespace accord
