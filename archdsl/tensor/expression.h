#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "archdsl/tensor/element_type.h"

namespace accord {

/// Node kinds of a scalar expression.
enum class ExprOp : std::uint8_t {
  constant,  ///< `value` (integers exact up to 2^53)
  access,    ///< reads `Statement::accesses[access]`
  cast,      ///< conversion of args[0] to `type` (see Expr)
  add,
  sub,
  mul,
  div,
  min,
  max,
  neg,
  abs,
  shift_left,
  shift_right,  ///< integers; right shift is arithmetic
  round,        ///< to nearest integer, ties to even; stays in its float type
  round_away,   ///< to nearest integer, ties away from zero
  floor,
  ceil,
  exp,
  log,
  sqrt,
  tanh,
  erf,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  pow,
  remainder,  ///< of a division, with the dividend's sign; of integers by 0: the dividend
  less,
  equal,  ///< 0 or 1, type i32
  select  ///< args[0] != 0 ? args[1] : args[2]
};

inline constexpr int expression_operations = static_cast<int>(ExprOp::select) + 1;

/// Immutable scalar expression tree.
///
/// Arithmetic happens in `type`: two integers give the wider one (two's complement wrap-around; u8 with a signed
/// type gives at least i16), a float and anything give the wider float (an integer operand converts first), i32 with
/// fp16/bf16/fp8 gives fp32. Floats narrower than fp32 compute in fp32 and round to nearest even after each operation.
/// Constants take the type of the other operand. `cast` to an integer type truncates toward zero and saturates
/// (NaN gives 0); cast to a float type rounds to nearest even (fp8e4m3 saturates, the others overflow to infinity).
/// exp, log, sqrt, erf, pow and the trigonometric and hyperbolic functions of an integer compute in fp32.
/// Parsed trees convert explicitly: both arguments of an operation have the type it computes in (`fp32(x) * scale`).
/// Integer division truncates toward zero and gives 0 for a divisor of 0. Shift counts below 0 count as 0; beyond the
/// width a left shift gives 0 and a right shift the sign. min(a, b) is `a < b ? a : b`, max likewise, also for NaN.
struct Expr {
  ExprOp op{};
  ElementType type{};
  double value = 0;
  int access = -1;
  std::vector<std::shared_ptr<const Expr>> args;
};
using ExprPtr = std::shared_ptr<const Expr>;

}  // namespace accord
