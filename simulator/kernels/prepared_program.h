#pragma once

#include <vector>

#include "archdsl/tensor/kernel.h"
#include "archdsl/tensor/statement.h"

namespace accord::sim {

/// How a program uses the memory behind one access.
struct AccessUse {
  int operand = -1;    ///< of the original program
  Access access;       ///< its indices
  bool reads = false;  ///< needs bytes that were there before
  bool writes = false;
  bool in_place = false;  ///< all its reads are those of an accumulating target
};

/// A tensor program ready for execution over strided memory: every distinct access is an operand of its own (so that it
/// has one base and one step per iterator), and each statement is compiled.
struct PreparedProgram {
  explicit PreparedProgram(const TensorProgram& original);

  TensorProgram program;
  std::vector<AccessUse> uses;              ///< one per operand of `program`
  std::vector<Kernel> kernels;              ///< one per statement
  std::vector<std::vector<int>> iterators;  ///< of each statement
  std::vector<bool> is_mac;                 ///< statement multiplies and accumulates
};

/// Where an access lies: bytes from its operand's base to the element at iteration point 0, and bytes per iterator.
struct Placement {
  std::int64_t offset = 0;
  std::vector<std::int64_t> step;
};

/// `index_steps`: bytes from one index to the next, per index position.
Placement place(const Access& access, const std::vector<std::int64_t>& index_steps, std::size_t iterators);

}  // namespace accord::sim
