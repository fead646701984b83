#include "compiler/numerics/scalar_sums.h"

#include <algorithm>
#include <vector>

namespace accord {
namespace {

/// The operand that is read, through a cast; -1: another expression.
int operand_of(const Statement& statement, const Expr& expr) {
  const Expr& read = expr.op == ExprOp::cast ? *expr.args[0] : expr;
  return read.op == ExprOp::access ? statement.accesses[static_cast<std::size_t>(read.access)].operand : -1;
}

/// The multiplier m of `c += acc(x) * m` over what is stored; -1: the capability computes something else.
int multiplier_of(const Capability& capability, const Numerics& numerics) {
  const auto& operands = capability.program.operands;
  const auto type = [&](int operand) { return operands[static_cast<std::size_t>(operand)].type; };
  const Statement& sum = capability.program.statements.back();
  if (sum.reduction != Reduction::add || sum.value->op != ExprOp::mul) return -1;
  if (type(sum.target.operand) != numerics.accumulator) return -1;
  for (std::size_t side = 0; side < 2; ++side) {
    const int x = operand_of(sum, *sum.value->args[side]), m = operand_of(sum, *sum.value->args[1 - side]);
    if (x >= 0 && m >= 0 && type(x) == numerics.storage && type(m) == numerics.accumulator) return m;
  }
  return -1;
}

}  // namespace

bool sums_take_scalars(const Architecture& architecture) {
  std::vector<bool> scalar;
  for (const Unit& unit : architecture.units) {
    for (const Capability& capability : unit.capabilities) {
      const int m = multiplier_of(capability, architecture.numerics);
      if (m >= 0) scalar.push_back(capability.operands[static_cast<std::size_t>(m)].memory < 0);
    }
  }
  return !scalar.empty() && std::ranges::find(scalar, false) == scalar.end();
}

}  // namespace accord
