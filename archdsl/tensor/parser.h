#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archdsl/tensor/lexer.h"
#include "archdsl/tensor/parse.h"

namespace accord {

/// Recursive descent over the tokens of one statement; mistakes are thrown as StatementError.
/// Depth of nesting and of the resulting tree are limited, since everything downstream recurses over them.
class StatementParser {
 public:
  static constexpr int max_depth = 200;
  static constexpr std::size_t max_length = 4096;

  StatementParser(std::string_view text, const StatementContext& context, TensorProgram& program);

  Statement parse();

 private:
  /// A typed expression with its place in the text. A literal has not met its type yet: `expr` is a constant whose
  /// type is the one it would have alone.
  struct Typed {
    ExprPtr expr;
    std::size_t offset = 0;
    std::size_t length = 0;
    int depth = 1;
    bool literal = false;
  };
  struct Place {
    std::size_t offset;
    std::size_t length;
  };
  class Nested;

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at(std::string_view symbol) const;
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  [[noreturn]] static void fail(const Token& token, std::string message);
  [[noreturn]] static void fail(Place place, std::string message);
  Place since(std::size_t offset) const;

  // Statements and accesses.
  Reduction reduction();
  Access access(const Token& name);
  int operand(const Token& name, int rank);

  // Indices: parse_index.cpp.
  void index_position(Access& access);
  int lookup(const Token& name);
  AffineIndex index();
  AffineIndex index_sum();
  AffineIndex index_product();
  AffineIndex index_factor();
  AffineIndex index_name(const Token& name);
  int iterator(const std::string& name);

  // Expressions: parse_expression.cpp.
  using Level = Typed (StatementParser::*)();
  Typed expression();
  Typed equality();
  Typed relation();
  Typed shift();
  Typed sum();
  Typed product();
  Typed unary();
  Typed primary();
  Typed number(const Token& token);
  Typed named(const Token& name);
  Typed read(const Token& name);
  Typed call(const Token& name);
  std::vector<Typed> arguments(const Token& name, int count);

  // Typing: parse_typing.cpp.
  static Typed literal(double value, Place place);
  static Typed apply(ExprOp op, std::vector<Typed> args, Place place);
  static Typed apply_cast(ElementType type, Typed arg, Place place);
  static bool fold(ExprOp op, const std::vector<Typed>& args, Place place, double& result);
  static ElementType operand_type(ExprOp op, const std::vector<Typed>& args, Place place);
  static ExprPtr convert(ExprOp op, const Typed& arg, ElementType type);
  static Typed node(ExprOp op, ElementType type, const std::vector<Typed>& args, Place place);

  const StatementContext& context_;
  TensorProgram& program_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool may_look_up_ = false;
  Statement statement_;

  friend class Nested;
};

/// Counts one level of nesting while it lives.
class StatementParser::Nested {
 public:
  explicit Nested(StatementParser& parser) : parser_(parser) {
    if (++parser_.depth_ > max_depth) fail(parser_.peek(), "nested too deeply");
  }
  ~Nested() { --parser_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  StatementParser& parser_;
};

}  // namespace accord
