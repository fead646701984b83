#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "archdsl/tensor/parser.h"
#include "archdsl/tensor/typing.h"

namespace accord {
namespace {

struct Function {
  ExprOp op;
  int arity;
};

const std::map<std::string_view, Function>& functions() {
  static const auto table = [] {
    std::map<std::string_view, Function> result;
    for (int op = static_cast<int>(ExprOp::add); op <= static_cast<int>(ExprOp::select); ++op)
      result[name(static_cast<ExprOp>(op))] = {static_cast<ExprOp>(op), arity(static_cast<ExprOp>(op))};
    return result;
  }();
  return table;
}

}  // namespace

StatementParser::Typed StatementParser::expression() {
  const Nested nested(*this);
  return equality();
}

StatementParser::Typed StatementParser::equality() {
  Typed left = relation();
  while (accept("==")) {
    Typed right = relation();
    const Place place = since(left.offset);
    left = apply(ExprOp::equal, {std::move(left), std::move(right)}, place);
  }
  return left;
}

StatementParser::Typed StatementParser::relation() {
  Typed left = shift();
  while (accept("<")) {
    Typed right = shift();
    const Place place = since(left.offset);
    left = apply(ExprOp::less, {std::move(left), std::move(right)}, place);
  }
  return left;
}

StatementParser::Typed StatementParser::shift() {
  Typed left = sum();
  while (at("<<") || at(">>")) {
    const ExprOp op = take().text == "<<" ? ExprOp::shift_left : ExprOp::shift_right;
    Typed right = sum();
    const Place place = since(left.offset);
    left = apply(op, {std::move(left), std::move(right)}, place);
  }
  return left;
}

StatementParser::Typed StatementParser::sum() {
  Typed left = product();
  while (at("+") || at("-")) {
    const ExprOp op = take().text == "+" ? ExprOp::add : ExprOp::sub;
    Typed right = product();
    const Place place = since(left.offset);
    left = apply(op, {std::move(left), std::move(right)}, place);
  }
  return left;
}

StatementParser::Typed StatementParser::product() {
  Typed left = unary();
  while (at("*") || at("/")) {
    const ExprOp op = take().text == "*" ? ExprOp::mul : ExprOp::div;
    Typed right = unary();
    const Place place = since(left.offset);
    left = apply(op, {std::move(left), std::move(right)}, place);
  }
  return left;
}

StatementParser::Typed StatementParser::unary() {
  const std::size_t start = peek().offset;
  if (!accept("-")) return primary();
  const Nested nested(*this);
  Typed arg = unary();
  return apply(ExprOp::neg, {std::move(arg)}, since(start));
}

StatementParser::Typed StatementParser::primary() {
  const std::size_t start = peek().offset;
  if (accept("(")) {
    Typed inner = expression();
    expect(")");
    const Place place = since(start);
    inner.offset = place.offset;
    inner.length = place.length;
    return inner;
  }
  if (peek().kind == TokenKind::name) return named(take());
  if (peek().kind == TokenKind::integer || peek().kind == TokenKind::real) return number(take());
  fail(peek(), "expected a value");
}

StatementParser::Typed StatementParser::number(const Token& token) {
  return literal(token.value, {token.offset, token.text.size()});
}

StatementParser::Typed StatementParser::named(const Token& name) {
  const std::string text(name.text);
  const Place place{name.offset, name.text.size()};
  if (at("(")) return call(name);
  if (at("[") || context_.operand_types.contains(text)) return read(name);
  if (const auto constant = context_.constants.find(text); constant != context_.constants.end()) {
    const auto value = static_cast<double>(constant->second);
    if (std::abs(value) > 0x1p53) fail(name, fmt::format("'{}' is beyond 2^53", text));
    return literal(value, place);
  }
  if (text == "inf") return literal(std::numeric_limits<double>::infinity(), place);
  fail(name, fmt::format("'{}' is neither an operand nor a constant", text));
}

StatementParser::Typed StatementParser::read(const Token& name) {
  Access found = access(name);
  auto& accesses = statement_.accesses;
  std::size_t at = 0;
  while (at < accesses.size() && accesses[at] != found) ++at;
  const ElementType type = program_.operands[static_cast<std::size_t>(found.operand)].type;
  if (at == accesses.size()) accesses.push_back(std::move(found));
  const Place place = since(name.offset);
  Expr expr{ExprOp::access, type, 0, static_cast<int>(at), {}};
  return {std::make_shared<const Expr>(std::move(expr)), place.offset, place.length};
}

StatementParser::Typed StatementParser::call(const Token& name) {
  if (const auto type = parse_element_type(name.text)) {
    std::vector<Typed> args = arguments(name, 1);
    return apply_cast(*type, std::move(args[0]), since(name.offset));
  }
  if (name.text == "clamp") {
    std::vector<Typed> args = arguments(name, 3);
    const Place place = since(name.offset);
    Typed low = apply(ExprOp::max, {std::move(args[0]), std::move(args[1])}, place);
    return apply(ExprOp::min, {std::move(low), std::move(args[2])}, place);
  }
  if (name.text == "relu") {
    std::vector<Typed> args = arguments(name, 1);
    const Place place = since(name.offset);
    return apply(ExprOp::max, {std::move(args[0]), literal(0, place)}, place);
  }
  const auto function = functions().find(name.text);
  if (function == functions().end()) fail(name, fmt::format("'{}' is not a function", name.text));
  std::vector<Typed> args = arguments(name, function->second.arity);
  return apply(function->second.op, std::move(args), since(name.offset));
}

std::vector<StatementParser::Typed> StatementParser::arguments(const Token& name, int count) {
  std::vector<Typed> args;
  expect("(");
  do args.push_back(expression());
  while (accept(","));
  if (!accept(")")) fail(peek(), "expected ',', ')' or an operator");
  if (static_cast<int>(args.size()) != count)
    fail(name, fmt::format("{} takes {} argument{}, not {}", name.text, count, count == 1 ? "" : "s", args.size()));
  return args;
}

}  // namespace accord
