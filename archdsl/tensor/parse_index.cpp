#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "archdsl/tensor/parser.h"

namespace accord {
namespace {

// Far below overflow, so that later arithmetic on indices needs no checks of its own.
constexpr std::int64_t largest_coefficient = std::int64_t{1} << 40;

bool is_constant(const AffineIndex& index) { return index.terms.empty(); }

bool in_range(const AffineIndex& index) {
  const auto fits = [](std::int64_t value) { return value >= -largest_coefficient && value <= largest_coefficient; };
  return fits(index.offset) &&
         std::all_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return fits(term.second); });
}

AffineIndex plus(AffineIndex a, const AffineIndex& b, std::int64_t sign) {
  a.offset += sign * b.offset;
  for (const auto& [iterator, coefficient] : b.terms) {
    const auto at = std::lower_bound(a.terms.begin(), a.terms.end(), iterator,
                                     [](const auto& term, int key) { return term.first < key; });
    if (at != a.terms.end() && at->first == iterator)
      at->second += sign * coefficient;
    else
      a.terms.insert(at, {iterator, sign * coefficient});
  }
  std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
  return a;
}

std::optional<AffineIndex> times(AffineIndex a, std::int64_t factor) {
  bool overflow = __builtin_mul_overflow(a.offset, factor, &a.offset);
  for (auto& term : a.terms) overflow |= __builtin_mul_overflow(term.second, factor, &term.second);
  std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
  if (overflow) return std::nullopt;
  return a;
}

}  // namespace

void StatementParser::index_position(Access& access) {
  const bool looks_up =
      may_look_up_ && peek().kind == TokenKind::name && context_.operand_types.contains(std::string(peek().text));
  if (looks_up) access.lookups.push_back({access.indices.size(), lookup(take())});
  access.indices.push_back(looks_up ? AffineIndex{} : index());
}

int StatementParser::lookup(const Token& name) {
  may_look_up_ = false;
  const Typed found = read(name);
  may_look_up_ = true;
  if (is_float(found.expr->type)) fail(name, fmt::format("'{}' is no integer, so it can be no index", name.text));
  return found.expr->access;
}

AffineIndex StatementParser::index() {
  const Nested nested(*this);
  return index_sum();
}

AffineIndex StatementParser::index_sum() {
  const std::size_t start = peek().offset;
  AffineIndex result = index_product();
  while (at("+") || at("-")) {
    const std::int64_t sign = take().text == "+" ? 1 : -1;
    result = plus(std::move(result), index_product(), sign);
    if (!in_range(result)) fail(since(start), "index coefficient too large");
  }
  return result;
}

AffineIndex StatementParser::index_product() {
  const std::size_t start = peek().offset;
  AffineIndex result = index_factor();
  while (at("*") || at("/")) {
    const bool multiply = take().text == "*";
    AffineIndex factor = index_factor();
    if (multiply && is_constant(result)) std::swap(result, factor);
    if (!is_constant(factor)) fail(since(start), "an index must be affine in the iterators");
    if (!multiply && (!is_constant(result) || factor.offset == 0 || result.offset % factor.offset != 0))
      fail(since(start), "an index may divide only constants, without remainder");
    const auto product = multiply ? times(result, factor.offset) : AffineIndex{{}, result.offset / factor.offset};
    if (!product || !in_range(*product)) fail(since(start), "index coefficient too large");
    result = *product;
  }
  return result;
}

AffineIndex StatementParser::index_factor() {
  const Nested nested(*this);
  if (accept("-")) return *times(index_factor(), -1);
  if (accept("(")) {
    AffineIndex inner = index_sum();
    expect(")");
    return inner;
  }
  if (peek().kind == TokenKind::name) return index_name(take());
  if (peek().kind != TokenKind::integer) fail(peek(), "expected an iterator or an integer");
  const Token number = take();
  AffineIndex result{{}, static_cast<std::int64_t>(number.value)};
  if (!in_range(result)) fail(number, "index coefficient too large");
  return result;
}

AffineIndex StatementParser::index_name(const Token& name) {
  const std::string text(name.text);
  if (const auto constant = context_.constants.find(text); constant != context_.constants.end()) {
    AffineIndex result{{}, constant->second};
    if (!in_range(result)) fail(name, fmt::format("'{}' is too large for an index", text));
    return result;
  }
  if (context_.operand_types.contains(text))
    fail(name, fmt::format("'{}' is an operand; an index must be affine in the iterators", text));
  return {{{iterator(text), 1}}, 0};
}

int StatementParser::iterator(const std::string& name) {
  auto& iterators = program_.iterators;
  const auto at = std::find_if(iterators.begin(), iterators.end(), [&](const Iterator& i) { return i.name == name; });
  if (at != iterators.end()) return static_cast<int>(at - iterators.begin());
  iterators.push_back({name, 0});
  return static_cast<int>(iterators.size()) - 1;
}

}  // namespace accord
