#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archdsl/tensor/statement.h"

namespace accord {

/// A mistake inside a statement string: byte offset and length in the text, what was expected.
struct StatementError {
  std::size_t offset = 0;
  std::size_t length = 1;
  std::string message;
  std::size_t statement = 0;  ///< index of the text the offset counts in
};

/// What names mean while statements are parsed.
struct StatementContext {
  std::map<std::string, ElementType> operand_types;  ///< every operand must be here
  std::map<std::string, std::int64_t> constants;     ///< names replaced by integers (params, attributes)
  std::vector<std::string> iterator_order;           ///< optional; further iterators are appended as they occur
  bool lookups = false;                              ///< an index may be an element that is read: x[ids[i], j]
};

/// Parses statements such as
///   "c[i,j] += i32(a[i,k]) * i32(b[k,j])"      "y[n,k,p,q] max= x[n,k,p*s + r - pad, q*s + t - pad]"
///   "y[i] = i8(clamp(round(fp32(x[i]) * scale[i]), lo, hi))"
/// Reductions: = += max= min=. Functions: the ExprOp names, clamp(x,lo,hi) = min(max(x,lo),hi), relu(x) = max(x,0),
/// select(c,a,b); casts by type name; operators + - * / << >> < ==, parentheses, numbers (1, 2.5, 1e-3), `inf`.
/// A bare name is a rank-0 operand if it is in operand_types, else a constant. A name in an index that is neither is
/// an iterator. An operand must have one rank everywhere. Indices must be affine in the iterators, or (with `lookups`)
/// one integer operand's element with affine indices.
std::variant<TensorProgram, StatementError> parse_statements(const std::vector<std::string>& texts,
                                                             const StatementContext& context);

/// "=", "+=", "max=" or "min=".
const char* to_string(Reduction reduction);
/// Prints what parse_statements reads back unchanged (iterator order aside, which the context gives).
std::string to_string(const TensorProgram& program, const Statement& statement);
std::string to_string(const TensorProgram& program, const Statement& statement, const Expr& expr);
/// Every statement, in order.
std::vector<std::string> statement_texts(const TensorProgram& program);

}  // namespace accord
