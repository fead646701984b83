#include "compiler/numerics/overflow.h"

#include "archdsl/tensor/element_type.h"
#include "archdsl/tensor/interpret.h"

namespace accord::numerics {

ExprPtr widened(const ExprPtr& expr) {
  Expr wide = *expr;
  for (ExprPtr& arg : wide.args) arg = widened(arg);
  const bool reads = wide.op == ExprOp::access || wide.op == ExprOp::cast || wide.op == ExprOp::constant;
  if (!reads && !is_float(wide.type)) wide.type = ElementType::i64;
  return std::make_shared<const Expr>(std::move(wide));
}

ExprPtr overflowing(const ExprPtr& expr, const std::vector<double>& reads) {
  for (const ExprPtr& arg : expr->args) {
    if (ExprPtr found = overflowing(arg, reads)) return found;
  }
  return evaluate(*expr, reads) == evaluate(*widened(expr), reads) ? nullptr : expr;
}

}  // namespace accord::numerics
