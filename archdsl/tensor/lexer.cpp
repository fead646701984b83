#include "archdsl/tensor/lexer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "archdsl/tensor/parse.h"

namespace accord {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) ++length;
  return length;
}

std::size_t symbol_length(std::string_view text) {
  constexpr std::array<std::string_view, 4> pairs = {"<<", ">>", "==", "+="};
  for (std::string_view pair : pairs)
    if (text.starts_with(pair)) return 2;
  return std::string_view("+-*/<=()[],").find(text.front()) != std::string_view::npos ? 1 : 0;
}

/// Of a comparison that the language does not have; 0: there is none.
std::size_t other_comparison_length(std::string_view text) {
  for (const std::string_view other : {"<=", ">=", "!="})
    if (text.starts_with(other)) return other.size();
  return text.starts_with('>') && !text.starts_with(">>") ? 1 : 0;
}

Token number(std::string_view text, std::size_t offset) {
  Token token{TokenKind::integer, {}, offset, 0};
  const auto [end, status] = std::from_chars(text.data() + offset, text.data() + text.size(), token.value);
  const std::size_t length = static_cast<std::size_t>(end - text.data()) - offset;
  if (status != std::errc{}) throw StatementError{offset, std::max<std::size_t>(length, 1), "number out of range"};
  token.text = text.substr(offset, length);
  if (token.text.find_first_of(".eE") != std::string_view::npos) token.kind = TokenKind::real;
  if (token.kind == TokenKind::integer && token.value > 0x1p53)
    throw StatementError{offset, length, "integer beyond 2^53"};
  if (end != text.data() + text.size() && is_letter(*end))
    throw StatementError{offset + length, 1, "expected an operator after the number"};
  return token;
}

Token next(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset);
  if (is_letter(rest.front())) return {TokenKind::name, rest.substr(0, name_length(rest)), offset, 0};
  if (is_digit(rest.front()) || (rest.front() == '.' && rest.size() > 1 && is_digit(rest[1])))
    return number(text, offset);
  if (const std::size_t length = other_comparison_length(rest))
    throw StatementError{offset, length, "no such comparison: there are `<` and `==`"};
  if (const std::size_t length = symbol_length(rest)) return {TokenKind::symbol, rest.substr(0, length), offset, 0};
  throw StatementError{offset, 1, "unexpected character"};
}

}  // namespace

std::vector<Token> tokenise(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t offset = 0;
  while (true) {
    while (offset < text.size() && is_space(text[offset])) ++offset;
    if (offset == text.size()) break;
    tokens.push_back(next(text, offset));
    offset += tokens.back().text.size();
  }
  tokens.push_back({TokenKind::end, {}, offset, 0});
  return tokens;
}

}  // namespace accord
