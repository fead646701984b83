#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "archdsl/tensor/expression.h"

namespace accord {

/// An operation, or the number 0 (`constant` without arguments).
inline ExprPtr expression(ExprOp op, ElementType type, std::vector<ExprPtr> args = {}) {
  return std::make_shared<const Expr>(Expr{op, type, 0, -1, std::move(args)});
}

/// What the statement's access of that index holds.
inline ExprPtr read_of(ElementType type, int access) {
  return std::make_shared<const Expr>(Expr{ExprOp::access, type, 0, access, {}});
}

/// The expression with another one in the place of that access.
inline ExprPtr with_access_as(const ExprPtr& expr, int access, const ExprPtr& as) {
  if (expr->op == ExprOp::access) return expr->access == access ? as : expr;
  Expr copy = *expr;
  for (ExprPtr& arg : copy.args) arg = with_access_as(arg, access, as);
  return std::make_shared<const Expr>(std::move(copy));
}

}  // namespace accord
