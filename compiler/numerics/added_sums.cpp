#include "compiler/numerics/added_sums.h"

#include <algorithm>
#include <optional>

namespace accord {
namespace {

/// The operand that is read, through a cast; -1: another expression.
int operand_of(const Statement& statement, const Expr& expr) {
  const Expr& read = expr.op == ExprOp::cast ? *expr.args[0] : expr;
  return read.op == ExprOp::access ? statement.accesses[static_cast<std::size_t>(read.access)].operand : -1;
}

/// The multiplier m of `c += acc(x) * m` over what is stored, -1 of `c += acc(x)`, which does for floats alone:
/// integers of two scales take a multiplier. Nothing where the capability computes something else.
std::optional<int> multiplier_of(const Capability& capability, const Numerics& numerics) {
  const auto is = [&](int operand, ElementType type) {
    return operand >= 0 && capability.program.operands[static_cast<std::size_t>(operand)].type == type;
  };
  const Statement& sum = capability.program.statements.back();
  if (sum.reduction != Reduction::add || !is(sum.target.operand, numerics.accumulator)) return std::nullopt;
  if (!numerics.integer && is(operand_of(sum, *sum.value), numerics.storage)) return -1;
  if (sum.value->op != ExprOp::mul) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const int x = operand_of(sum, *sum.value->args[side]), m = operand_of(sum, *sum.value->args[1 - side]);
    if (is(x, numerics.storage) && is(m, numerics.accumulator)) return m;
  }
  return std::nullopt;
}

}  // namespace

AddedSums added_sums(const Architecture& architecture) {
  auto result = AddedSums::none;
  for (const Unit& unit : architecture.units) {
    for (const Capability& capability : unit.capabilities) {
      const auto m = multiplier_of(capability, architecture.numerics);
      if (!m) continue;
      const bool scalar = *m >= 0 && capability.operands[static_cast<std::size_t>(*m)].memory < 0;
      result = std::max(result, scalar ? AddedSums::scalar : AddedSums::per_channel);
    }
  }
  return result;
}

}  // namespace accord
