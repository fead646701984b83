#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accord {

/// A mistake inside an arithmetic text: byte offset, length, what was expected.
struct ArithmeticError {
  std::size_t offset = 0;
  std::size_t length = 1;
  std::string message;
};

/// Recursive-descent parser of `a ? b : c`, comparisons, + - * / %, unary -, calls, names (dots allowed) and numbers
/// with an optional unit. `Builder` says what each construct gives:
///   Value number(text, unit, offset), name(text, offset), call(text, vector<Value>, offset), binary(op, Value, Value,
///   offset)
/// where op is the operator's text. Unary minus comes as 0 - x, the ternary as a call of `select`. Throws
/// ArithmeticError.
template <class Builder>
class ArithmeticParser {
 public:
  using Value = typename Builder::Value;

  ArithmeticParser(std::string_view text, Builder& builder) : text_(text), builder_(builder) {}

  Value parse() {
    Value value = ternary();
    if (at_ < text_.size()) fail("an operator or the end was expected");
    return value;
  }

  /// A number with its unit and nothing else.
  Value parse_number() {
    if (!digit(0)) fail("a number was expected");
    Value value = number();
    if (at_ < text_.size()) fail("nothing may follow the number");
    return value;
  }

 private:
  static constexpr int deepest = 64;

  [[noreturn]] void fail(std::string message) const { throw ArithmeticError{at_, 1, std::move(message)}; }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_space();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(std::string("`").append(token) + "` was expected");
  }

  Value ternary() {
    if (++depth_ > deepest) fail("nested too deeply");
    skip_space();
    Value condition = comparison();
    const std::size_t offset = at_;
    if (accept("?")) {
      std::vector<Value> args = {std::move(condition)};
      args.push_back(ternary());
      expect(":");
      args.push_back(ternary());
      condition = builder_.call("select", std::move(args), offset);
    }
    --depth_;
    return condition;
  }

  Value comparison() {
    Value left = sum();
    for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"}) {
      const std::size_t offset = at_;
      if (accept(op)) return builder_.binary(op, std::move(left), sum(), offset);
    }
    return left;
  }

  Value sum() {
    Value left = product();
    for (;;) {
      const std::size_t offset = at_;
      const std::string_view op = accept("+") ? "+" : accept("-") ? "-" : "";
      if (op.empty()) return left;
      left = builder_.binary(op, std::move(left), product(), offset);
    }
  }

  Value product() {
    Value left = unary();
    for (;;) {
      const std::size_t offset = at_;
      const std::string_view op = accept("*") ? "*" : accept("/") ? "/" : accept("%") ? "%" : "";
      if (op.empty()) return left;
      left = builder_.binary(op, std::move(left), unary(), offset);
    }
  }

  Value unary() {
    const std::size_t offset = at_;
    if (!accept("-")) return primary();
    if (++depth_ > deepest) fail("nested too deeply");
    Value zero = builder_.number("0", "", offset);
    Value value = builder_.binary("-", std::move(zero), unary(), offset);
    --depth_;
    return value;
  }

  Value primary() {
    const std::size_t offset = at_;
    if (accept("(")) {
      Value value = ternary();
      expect(")");
      return value;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    const std::string_view name = identifier();
    if (name.empty()) fail("a number, a name or `(` was expected");
    if (!accept("(")) return builder_.name(name, offset);
    std::vector<Value> args;
    do args.push_back(ternary());
    while (accept(","));
    expect(")");
    return builder_.call(name, std::move(args), offset);
  }

  bool digit(std::size_t i) const { return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])); }

  Value number() {
    const std::size_t offset = at_;
    if (text_.substr(at_, 2) == "0x") {
      at_ += 2;
      while (at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    } else {
      while (digit(at_) || (at_ < text_.size() && text_[at_] == '.')) ++at_;
      skip_exponent();
    }
    const std::string_view digits = text_.substr(offset, at_ - offset);
    skip_space();
    return builder_.number(digits, unit_name(), offset);
  }

  void skip_exponent() {
    if (at_ >= text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return;
    const std::size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+') ? 1 : 0;
    if (!digit(at_ + 1 + sign)) return;
    at_ += 1 + sign;
    while (digit(at_)) ++at_;
  }

  std::string_view unit_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    const bool longer = at_ + 2 < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_ + 2]));
    if (at_ > begin && text_.substr(at_, 2) == "/s" && !longer) at_ += 2;
    const std::string_view unit = text_.substr(begin, at_ - begin);
    skip_space();
    return unit;
  }

  std::string_view identifier() {
    const std::size_t begin = at_;
    const auto letter = [this](std::size_t i) {
      return std::isalpha(static_cast<unsigned char>(text_[i])) || text_[i] == '_';
    };
    while (
        at_ < text_.size() &&
        (letter(at_) || (at_ > begin && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')))) {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    skip_space();
    return name;
  }

  std::string_view text_;
  Builder& builder_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace accord
