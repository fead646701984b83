#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/tensor/statement.h"

namespace accord {

/// A tensor in memory, row-major and dense, for the interpreter.
struct DenseTensor {
  ElementType type{};
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
  double outside = 0;  ///< what a read beyond the shape yields (padding)
};

/// Evaluates the statements point by point: slow, obvious, the oracle for every rewrite and kernel.
/// `operands` one per TensorProgram::operands. Iterators must be bound. Writes beyond a shape are an assertion.
void interpret(const TensorProgram& program, std::span<DenseTensor> operands);

/// Evaluates one scalar expression; `reads` gives the value of each access (exact in double; i64 beyond 2^53 excepted).
double evaluate(const Expr& expr, std::span<const double> reads);

}  // namespace accord
