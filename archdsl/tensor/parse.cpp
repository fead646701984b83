#include "archdsl/tensor/parse.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archdsl/tensor/parser.h"

namespace accord {

StatementParser::StatementParser(std::string_view text, const StatementContext& context, TensorProgram& program)
    : context_(context), program_(program) {
  if (text.size() > max_length)
    throw StatementError{max_length, 1, fmt::format("statement longer than {} characters", max_length)};
  tokens_ = tokenise(text);
}

const Token& StatementParser::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

Token StatementParser::take() {
  const Token token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool StatementParser::at(std::string_view symbol) const {
  return peek().kind == TokenKind::symbol && peek().text == symbol;
}

bool StatementParser::accept(std::string_view symbol) {
  if (!at(symbol)) return false;
  take();
  return true;
}

void StatementParser::expect(std::string_view symbol) {
  if (!accept(symbol)) fail(peek(), fmt::format("expected '{}'", symbol));
}

void StatementParser::fail(const Token& token, std::string message) {
  fail(Place{token.offset, std::max<std::size_t>(token.text.size(), 1)}, std::move(message));
}

void StatementParser::fail(Place place, std::string message) {
  throw StatementError{place.offset, place.length, std::move(message)};
}

StatementParser::Place StatementParser::since(std::size_t offset) const {
  const Token& last = tokens_[position_ - 1];
  return {offset, last.offset + last.text.size() - offset};
}

Statement StatementParser::parse() {
  if (peek().kind != TokenKind::name) fail(peek(), "expected the operand that the statement writes");
  may_look_up_ = context_.lookups;
  statement_.target = access(take());
  statement_.reduction = reduction();
  statement_.value = expression().expr;
  if (peek().kind != TokenKind::end) fail(peek(), "expected an operator or the end of the statement");
  return std::move(statement_);
}

Reduction StatementParser::reduction() {
  if (accept("=")) return Reduction::assign;
  if (accept("+=")) return Reduction::add;
  const Token& next = peek(1);
  if (peek().kind == TokenKind::name && next.text == "=") {
    const std::string_view word = take().text;
    if (word == "max" && accept("=")) return Reduction::max;
    if (word == "min" && accept("=")) return Reduction::min;
    --position_;
  }
  fail(peek(), "expected '=', '+=', 'max=' or 'min='");
}

Access StatementParser::access(const Token& name) {
  Access result;
  if (accept("[")) {
    do index_position(result);
    while (accept(","));
    if (!accept("]")) fail(peek(), "expected ',', ']' or an operator");
  }
  result.operand = operand(name, static_cast<int>(result.indices.size()));
  return result;
}

int StatementParser::operand(const Token& name, int rank) {
  const std::string text(name.text);
  for (std::size_t i = 0; i < program_.operands.size(); ++i) {
    if (program_.operands[i].name != text) continue;
    if (program_.operands[i].rank == rank) return static_cast<int>(i);
    fail(name, fmt::format("'{}' has {} indices here and {} before", text, rank, program_.operands[i].rank));
  }
  const auto type = context_.operand_types.find(text);
  if (type == context_.operand_types.end()) fail(name, fmt::format("'{}' is not an operand", text));
  program_.operands.push_back({text, type->second, rank});
  return static_cast<int>(program_.operands.size()) - 1;
}

std::variant<TensorProgram, StatementError> parse_statements(const std::vector<std::string>& texts,
                                                             const StatementContext& context) {
  TensorProgram program;
  for (const std::string& iterator : context.iterator_order) program.iterators.push_back({iterator, 0});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      program.statements.push_back(StatementParser(texts[i], context, program).parse());
    } catch (StatementError& error) {
      error.statement = i;
      return error;
    }
  }
  return program;
}

}  // namespace accord
