#include "archdsl/tensor/kernel_tape.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/scalar.h"
#include "archdsl/tensor/typing.h"

namespace accord {
namespace {

// Whether every value of `from` is one of `to`, in the same lanes: then a cast costs nothing.
bool is_free(ElementType from, ElementType to) {
  if (from == to) return true;
  if (lane_type(from) != lane_type(to)) return false;
  if (is_float(from)) return common_type(from, to) == to;
  return lowest(to) <= lowest(from) && highest(from) <= highest(to);
}

// Results that need no wrap-around or rounding, the arguments being in range.
bool stays_in_range(ExprOp op, ElementType type) {
  switch (op) {
    case ExprOp::min:
    case ExprOp::max:
    case ExprOp::shift_right:
    case ExprOp::round:
    case ExprOp::round_away:
    case ExprOp::floor:
    case ExprOp::ceil: return true;
    case ExprOp::neg:
    case ExprOp::abs: return is_float(type);
    default: return false;
  }
}

bool is_rounding(ExprOp op) { return op >= ExprOp::round && op <= ExprOp::ceil; }

class Compiler {
 public:
  Compiler(const TensorProgram& program, const Statement& statement) {
    for (const Access& access : statement.accesses)
      tape_.access_types.push_back(program.operands[static_cast<std::size_t>(access.operand)].type);
    collect_constants(*statement.value);
    const ElementType target = program.operands[static_cast<std::size_t>(statement.target.operand)].type;
    tape_.result = cast(compile(*statement.value, 0), statement.value->type, target, 0);
    tape_.registers = tape_.first_temporary() + temporaries_;
  }

  Tape take() { return std::move(tape_); }

 private:
  void collect_constants(const Expr& expr) {
    if (expr.op == ExprOp::constant) tape_.constants.push_back(lane(expr));
    for (const ExprPtr& arg : expr.args) collect_constants(*arg);
  }

  static std::uint64_t lane(const Expr& expr) {
    const Scalar value = make_scalar(expr.type, expr.value);
    std::uint64_t result = static_cast<std::uint64_t>(value.integer);
    if (is_float(expr.type)) std::memcpy(&result, &value.real, sizeof value.real);
    return result;
  }

  // Temporaries are a stack of pairs: a result takes the place where its arguments began, but not the very register of
  // the first one, since lanes may change their width.
  int temporary(int depth, int avoid) {
    temporaries_ = std::max(temporaries_, 2 * depth + 2);
    const int first = tape_.first_temporary() + 2 * depth;
    return first == avoid ? first + 1 : first;
  }

  int compile(const Expr& expr, int depth) {
    if (expr.op == ExprOp::access) return expr.access;
    if (expr.op == ExprOp::constant) return static_cast<int>(tape_.access_types.size()) + next_constant_++;
    if (expr.op == ExprOp::cast) return cast(compile(*expr.args[0], depth), expr.args[0]->type, expr.type, depth);
    return operation(expr, arguments(expr, depth), depth);
  }

  std::array<int, 3> arguments(const Expr& expr, int depth) {
    const bool compares = expr.op == ExprOp::less || expr.op == ExprOp::equal;
    const ElementType wanted = compares ? common_type(expr.args[0]->type, expr.args[1]->type) : expr.type;
    std::array<int, 3> result{};
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const int place = depth + static_cast<int>(i);
      const bool is_condition = expr.op == ExprOp::select && i == 0;
      const ElementType type = expr.args[i]->type;
      result[i] = cast(compile(*expr.args[i], place), type, is_condition ? type : wanted, place);
    }
    return result;
  }

  int operation(const Expr& expr, std::array<int, 3> args, int depth) {
    if (is_rounding(expr.op) && !is_float(expr.type)) return args[0];
    const LaneTable& table = lane_table();
    TapeStep step;
    step.out = temporary(depth, args[0]);
    step.a = args[0];
    step.b = args[1];
    step.c = args[2];
    step.a_type = step.b_type = step.c_type = lane_type(expr.type);
    if (expr.op == ExprOp::select) {
      step.a_type = lane_type(expr.args[0]->type);
      step.select = table.select[at(step.a_type)][at(step.b_type)];
      tape_.steps.push_back(step);
      return step.out;
    }
    if (expr.op == ExprOp::less || expr.op == ExprOp::equal)
      step.a_type = lane_type(common_type(expr.args[0]->type, expr.args[1]->type));
    if (expr.args.size() == 1)
      step.unary = table.unary[at(expr.op)][at(step.a_type)];
    else
      step.binary = table.binary[at(expr.op)][at(step.a_type)];
    tape_.steps.push_back(step);
    if (!stays_in_range(expr.op, expr.type)) apply(table.narrow[at(expr.type)], step.out, step.out);
    return step.out;
  }

  int cast(int from, ElementType type, ElementType to, int depth) {
    if (is_free(type, to)) return from;
    const int out = temporary(depth, from);
    apply(lane_table().convert[at(lane_type(type))][at(to)], out, from);
    return out;
  }

  void apply(LaneTable::Unary function, int out, int in) {
    if (!function) return;
    TapeStep step;
    step.unary = function;
    step.out = out;
    step.a = in;
    tape_.steps.push_back(step);
  }

  Tape tape_;
  int next_constant_ = 0;
  int temporaries_ = 0;
};

}  // namespace

Tape make_tape(const TensorProgram& program, const Statement& statement) { return Compiler(program, statement).take(); }

}  // namespace accord
