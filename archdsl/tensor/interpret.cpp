#include "archdsl/tensor/interpret.h"

#include <array>
#include <cassert>

#include "archdsl/tensor/scalar.h"
#include "archdsl/tensor/typing.h"

namespace accord {
namespace {

// The type the arguments of an operation are converted to.
ElementType argument_type(const Expr& expr) {
  const bool compares = expr.op == ExprOp::less || expr.op == ExprOp::equal;
  return compares ? common_type(expr.args[0]->type, expr.args[1]->type) : expr.type;
}

Scalar evaluate_scalar(const Expr& expr, std::span<const Scalar> reads) {
  if (expr.op == ExprOp::constant) return make_scalar(expr.type, expr.value);
  if (expr.op == ExprOp::access) return reads[static_cast<std::size_t>(expr.access)];
  std::array<Scalar, 3> args{};
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    args[i] = evaluate_scalar(*expr.args[i], reads);
    const bool is_condition = expr.op == ExprOp::select && i == 0;
    if (!is_condition) args[i] = cast_scalar(args[i], argument_type(expr));
  }
  return expr.op == ExprOp::cast ? args[0] : apply_scalar(expr.op, expr.type, args.data());
}

Scalar combine(Reduction reduction, const Scalar& old, const Scalar& value) {
  const std::array<Scalar, 2> args = {old, value};
  switch (reduction) {
    case Reduction::assign: return value;
    case Reduction::add: return apply_scalar(ExprOp::add, old.type, args.data());
    case Reduction::max: return apply_scalar(ExprOp::max, old.type, args.data());
    case Reduction::min: return apply_scalar(ExprOp::min, old.type, args.data());
  }
  return value;
}

using Point = std::vector<std::int64_t>;

// Position of the element in the tensor's data, or null outside of the shape. `reads`: of the accesses before this one.
std::byte* locate(const Access& access, DenseTensor& tensor, const Point& point, std::span<const Scalar> reads) {
  assert(access.indices.size() == tensor.shape.size());
  std::int64_t position = 0;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    std::int64_t index = access.indices[d].offset;
    for (const auto& [iterator, coefficient] : access.indices[d].terms)
      index += coefficient * point[static_cast<std::size_t>(iterator)];
    for (const Lookup& lookup : access.lookups)
      if (lookup.index == d)
        index = looked_up_index(reads[static_cast<std::size_t>(lookup.access)].integer, tensor.shape[d]);
    if (index < 0 || index >= tensor.shape[d]) return nullptr;
    position = position * tensor.shape[d] + index;
  }
  return tensor.data.data() + position * bytes(tensor.type);
}

void execute(const Statement& statement, std::span<DenseTensor> operands, const Point& point) {
  std::vector<Scalar> reads;
  for (const Access& access : statement.accesses) {
    DenseTensor& tensor = operands[static_cast<std::size_t>(access.operand)];
    const std::byte* at = locate(access, tensor, point, reads);
    reads.push_back(at ? load_scalar(at, tensor.type) : make_scalar(tensor.type, tensor.outside));
  }
  DenseTensor& target = operands[static_cast<std::size_t>(statement.target.operand)];
  std::byte* at = locate(statement.target, target, point, reads);
  assert(at && "write outside of the target");
  if (!at) return;
  const Scalar value = cast_scalar(evaluate_scalar(*statement.value, reads), target.type);
  store_scalar(at, combine(statement.reduction, load_scalar(at, target.type), value));
}

// Steps to the next point in row-major order over the given iterators; false after the last.
bool advance(Point& point, const std::vector<int>& loops, const TensorProgram& program) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const auto i = static_cast<std::size_t>(*loop);
    if (++point[i] < program.iterators[i].extent) return true;
    point[i] = 0;
  }
  return false;
}

}  // namespace

double evaluate(const Expr& expr, std::span<const double> reads) {
  // The reads' types are on the access nodes.
  if (expr.op == ExprOp::access) return reads[static_cast<std::size_t>(expr.access)];
  std::vector<Scalar> scalars(reads.size());
  const auto convert = [&](const auto& self, const Expr& node) -> void {
    if (node.op == ExprOp::access) {
      const auto i = static_cast<std::size_t>(node.access);
      scalars[i] = make_scalar(node.type, reads[i]);
    }
    for (const ExprPtr& arg : node.args) self(self, *arg);
  };
  convert(convert, expr);
  return to_double(evaluate_scalar(expr, scalars));
}

void interpret(const TensorProgram& program, std::span<DenseTensor> operands) {
  assert(operands.size() == program.operands.size());
  for (const Statement& statement : program.statements) {
    const std::vector<int> loops = iterators_of(statement);
    bool is_empty = false;
    for (int loop : loops) is_empty |= program.iterators[static_cast<std::size_t>(loop)].extent <= 0;
    if (is_empty) continue;
    Point point(program.iterators.size(), 0);
    do execute(statement, operands, point);
    while (advance(point, loops, program));
  }
}

}  // namespace accord
