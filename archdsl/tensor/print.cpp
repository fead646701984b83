#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "archdsl/tensor/parse.h"
#include "archdsl/tensor/typing.h"

namespace accord {
namespace {

struct Infix {
  const char* symbol = nullptr;
  int precedence = 0;
};

constexpr int unary_precedence = 6;
constexpr int primary_precedence = 7;

Infix infix(ExprOp op) {
  switch (op) {
    case ExprOp::equal: return {"==", 1};
    case ExprOp::less: return {"<", 2};
    case ExprOp::shift_left: return {"<<", 3};
    case ExprOp::shift_right: return {">>", 3};
    case ExprOp::add: return {"+", 4};
    case ExprOp::sub: return {"-", 4};
    case ExprOp::mul: return {"*", 5};
    case ExprOp::div: return {"/", 5};
    default: return {};
  }
}

std::string print_term(std::int64_t coefficient, const std::string& iterator) {
  return coefficient == 1 ? iterator : fmt::format("{}*{}", coefficient, iterator);
}

std::string print_index(const TensorProgram& program, const AffineIndex& index) {
  std::string text;
  for (const auto& [iterator, coefficient] : index.terms) {
    const std::string& iterator_name = program.iterators[static_cast<std::size_t>(iterator)].name;
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    if (text.empty())
      text = fmt::format("{}{}", coefficient < 0 ? "-" : "", print_term(size, iterator_name));
    else
      text += fmt::format(" {} {}", coefficient < 0 ? '-' : '+', print_term(size, iterator_name));
  }
  if (text.empty()) return fmt::format("{}", index.offset);
  if (index.offset != 0) text += fmt::format(" {} {}", index.offset < 0 ? '-' : '+', std::abs(index.offset));
  return text;
}

std::string print_access(const TensorProgram& program, const Statement& statement, const Access& access) {
  std::string text = program.operands[static_cast<std::size_t>(access.operand)].name;
  for (std::size_t i = 0; i < access.indices.size(); ++i) {
    const auto lookup = std::ranges::find(access.lookups, i, &Lookup::index);
    text.append(i == 0 ? "[" : ", ");
    text.append(lookup == access.lookups.end()
                    ? print_index(program, access.indices[i])
                    : print_access(program, statement, statement.accesses[static_cast<std::size_t>(lookup->access)]));
  }
  if (!access.indices.empty()) text.push_back(']');
  return text;
}

std::string print_constant(const Expr& expr) {
  if (std::isinf(expr.value)) return expr.value < 0 ? "-inf" : "inf";
  if (is_float(expr.type)) return fmt::format("{}", static_cast<float>(expr.value));
  return fmt::format("{:.0f}", expr.value);
}

class Printer {
 public:
  Printer(const TensorProgram& program, const Statement& statement) : program_(program), statement_(statement) {}

  std::string print(const Expr& expr, int at_least) const {
    std::string text = print_bare(expr);
    return precedence(expr) < at_least ? fmt::format("({})", text) : text;
  }

 private:
  static int precedence(const Expr& expr) {
    if (expr.op == ExprOp::neg || (expr.op == ExprOp::constant && std::signbit(expr.value))) return unary_precedence;
    const Infix operation = infix(expr.op);
    return operation.symbol ? operation.precedence : primary_precedence;
  }

  std::string print_bare(const Expr& expr) const {
    if (expr.op == ExprOp::constant) return print_constant(expr);
    if (expr.op == ExprOp::access)
      return print_access(program_, statement_, statement_.accesses[static_cast<std::size_t>(expr.access)]);
    if (expr.op == ExprOp::neg) return fmt::format("-{}", print(*expr.args[0], unary_precedence));
    if (const Infix operation = infix(expr.op); operation.symbol)
      return fmt::format("{} {} {}", print(*expr.args[0], operation.precedence), operation.symbol,
                         print(*expr.args[1], operation.precedence + 1));
    return print_call(expr);
  }

  std::string print_call(const Expr& expr) const {
    std::string text(expr.op == ExprOp::cast ? name(expr.type) : name(expr.op));
    for (std::size_t i = 0; i < expr.args.size(); ++i) text.append(i == 0 ? "(" : ", ").append(print(*expr.args[i], 0));
    text.push_back(')');
    return text;
  }

  const TensorProgram& program_;
  const Statement& statement_;
};

}  // namespace

const char* to_string(Reduction reduction) {
  switch (reduction) {
    case Reduction::assign: return "=";
    case Reduction::add: return "+=";
    case Reduction::max: return "max=";
    case Reduction::min: return "min=";
  }
  return "=";
}

std::string to_string(const TensorProgram& program, const Statement& statement) {
  return fmt::format("{} {} {}", print_access(program, statement, statement.target),
                     to_string(statement.reduction), to_string(program, statement, *statement.value));
}

std::vector<std::string> statement_texts(const TensorProgram& program) {
  std::vector<std::string> texts;
  for (const Statement& statement : program.statements) texts.push_back(to_string(program, statement));
  return texts;
}

std::string to_string(const TensorProgram& program, const Statement& statement, const Expr& expr) {
  return Printer(program, statement).print(expr, 0);
}

}  // namespace accord
