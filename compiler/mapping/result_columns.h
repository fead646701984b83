#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/codelets/work.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// A convolution whose result lies with every m-th column beside the others, as if they were channels:
///     y'[n, m*k + e, p, j] = y[n, k, p, m*j + e]
///     y'[n, m*k + e, p, j] += x[n, c, .., m*s*j + s*e + t - left] * w[k, c, .., t]
/// Windows of neighbouring columns of y' lie m*s columns of x apart. Where x lies with columns innermost, a unit whose
/// positions are as many bytes apart (vrmpy: four) reads them where they lie, overlapping as they are.
struct ColumnWork {
  std::int64_t columns = 1;  ///< m
  Tensor result;             ///< y'
  Work work;                 ///< as it is with that; what it writes has no tensors yet
  int x = -1, y = -1;        ///< operands
};

/// The m with which columns of the convolution's windows lie as far apart as operands of some capability step: those
/// that step by more than an element. None where the work is no Conv, or of a type that no operand has.
std::vector<std::int64_t> columns_apart(const Architecture& architecture, const Work& work);

/// The work for m = `columns`. Nothing where the work is of another kind, other operands than x and y are tensors with
/// columns, or m does not divide the result's.
std::optional<ColumnWork> split_columns(const Network& network, const Work& work, std::int64_t columns);

}  // namespace accord
