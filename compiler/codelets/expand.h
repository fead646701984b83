#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/codelets/codelet.h"

namespace accord {

/// What the names of a codelet stand for in one operator.
struct Expansion {
  const Network* network = nullptr;
  const Operator* op = nullptr;
  std::vector<std::string> index;               ///< output 0's index texts
  std::map<std::string, TensorId> tensors;      ///< operand name -> tensor, absent optional inputs left out
  std::map<std::string, std::string> names;     ///< operand or temporary name -> name in the work
  std::map<std::string, std::string> literals;  ///< SCALE, MIN, ... -> number; acc, TYPE -> type name
  int axis = -1;                                ///< of @axis and @-
};

/// Expands @, @outer, @NAME, @axis, @- and replaces names (docs/codelets.md).
std::string expand(const std::string& statement, const Expansion& expansion);

/// Statements made from an operator's rank and attributes, where no fixed text can say them.
struct Generated {
  std::vector<std::string> statements;
  std::map<std::string, TensorId> tensors;  ///< names in the statements
  std::vector<Iterator> iterators;
  std::vector<std::string> temporaries;
  ElementType temporary_type = ElementType::fp32;
  std::map<std::string, double> outside;  ///< what reads beyond an input yield, where it is not 0
};

/// Operators that take or put elements where indices say, or compare positions: GatherElements, ScatterND,
/// TopPositions, CumSum, ... Empty for any other.
Generated selection_statements(const Network& network, const Operator& op);

/// One new iterator per dimension, called `prefix` and its number; their names.
std::vector<std::string> iterate(const Shape& shape, std::vector<Iterator>& iterators, const std::string& prefix);

/// `operand[index...]`, or `operand` without indices.
std::string access(const std::string& operand, const std::vector<std::string>& index);

/// Operators that move data: Concat, Reshape, Slice, Transpose, Gather, Tile, Pad. Empty for any other.
Generated movement_statements(const Network& network, const Operator& op);

/// Operators that reduce over a set of axes: Reduce*, ArgMax, ArgMin. Empty for any other.
Generated reduction_statements(const Network& network, const Operator& op);

}  // namespace accord
