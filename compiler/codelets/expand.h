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
  std::vector<std::string> index;                 ///< output 0's index texts
  std::map<std::string, TensorId> tensors;        ///< operand name -> tensor, absent optional inputs left out
  std::map<std::string, std::string> names;       ///< operand or temporary name -> name in the work
  std::map<std::string, std::string> literals;    ///< SCALE, MIN, ... -> number; acc, TYPE -> type name
  int axis = -1;                                  ///< of @axis and @-
};

/// Expands @, @outer, @NAME, @axis, @- and replaces names (docs/codelets.md).
std::string expand(const std::string& statement, const Expansion& expansion);

/// Statements of the operators that move data (Concat, Reshape, Slice, Split, Transpose, Pad), which depend on rank and
/// attributes and so are made here. `iterators` receives extents. Empty for any other operator.
std::vector<std::string> movement_statements(const Network& network, const Operator& op,
                                             std::map<std::string, TensorId>& tensors,
                                             std::vector<Iterator>& iterators);

}  // namespace accord
