#pragma once

#include <vector>

#include "archdsl/tensor/expression.h"

namespace accord::numerics {

/// The expression with i64 arithmetic in place of narrower integers'; casts, which saturate by intention, stay.
ExprPtr widened(const ExprPtr& expr);

/// The first operation, innermost first, that gives another value than its widened form; null: there is none.
ExprPtr overflowing(const ExprPtr& expr, const std::vector<double>& reads);

}  // namespace accord::numerics
