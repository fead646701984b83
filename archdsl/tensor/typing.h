#pragma once

#include <string_view>

#include "archdsl/tensor/expression.h"

namespace accord {

/// The type in which two operands are combined (see Expr). Floats of equal width but different format meet in the
/// narrowest type that holds both.
ElementType common_type(ElementType a, ElementType b);

/// Type of exp, pow and the other functions between them in ExprOp, of a value of `type`.
ElementType transcendental_type(ElementType type);

/// Number of arguments an operation takes.
int arity(ExprOp op);

/// "add", "shift_left", ...: the function name in statements.
std::string_view name(ExprOp op);

/// `expr` converted to `type`; the expression itself where it has that type already.
ExprPtr make_cast(ExprPtr expr, ElementType type);

}  // namespace accord
