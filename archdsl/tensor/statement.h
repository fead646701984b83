#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/tensor/expression.h"

namespace accord {

/// One loop of the rectangular iteration space; `extent` 0 means not yet bound.
struct Iterator {
  std::string name;
  std::int64_t extent = 0;
};

/// offset + sum of coefficient * iterator; iterators are indices into TensorProgram::iterators, each at most once,
/// ascending, no zero coefficients.
struct AffineIndex {
  std::vector<std::pair<int, std::int64_t>> terms;
  std::int64_t offset = 0;
  bool operator==(const AffineIndex&) const = default;
};

/// A data-dependent index: position `index` takes the value that `Statement::accesses[access]`, an integer, has at the
/// same point. Negative values count from the end, as in ONNX's Gather.
struct Lookup {
  std::size_t index = 0;
  int access = -1;
  bool operator==(const Lookup&) const = default;
};

/// `operand[indices...]`; rank 0 (no indices) is a scalar.
struct Access {
  int operand = -1;
  std::vector<AffineIndex> indices;
  std::vector<Lookup> lookups{};  ///< of positions whose affine index is 0
  bool operator==(const Access&) const = default;
};

struct Operand {
  std::string name;
  ElementType type{};
  int rank = 0;
};

/// How the target combines with the value: `=`, `+=`, `max=`, `min=`.
enum class Reduction : std::uint8_t { assign, add, max, min };

/// `target reduction value`, executed for every point of the iterators that occur in it (row-major in the order of
/// TensorProgram::iterators). The value is cast to the target's type before it is combined, and combined in that type.
struct Statement {
  Access target;
  Reduction reduction{};
  ExprPtr value;
  std::vector<Access> accesses;  ///< reads, indexed by Expr::access; equal accesses are shared
};

/// A sequence of statements over shared iterators and operands: the common form of a codelet (what work means) and of
/// a capability (what hardware does in one go). Statements run one after another, each over its whole space.
struct TensorProgram {
  std::vector<Iterator> iterators;
  std::vector<Operand> operands;
  std::vector<Statement> statements;
};

/// Iterators (ascending indices) that occur anywhere in the statement.
std::vector<int> iterators_of(const Statement& statement);

/// Whether an access of the statement has a data-dependent index.
bool looks_up(const Statement& statement);

/// The index that `value`, found in a tensor, names along `extent`. Throws Error beyond it.
std::int64_t looked_up_index(std::int64_t value, std::int64_t extent);

}  // namespace accord
