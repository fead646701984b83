#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archdsl/tensor/statement.h"

namespace accord {

/// Where an operand lies: address of its element at iteration point 0, and the byte step of each program iterator.
struct StridedOperand {
  std::byte* base = nullptr;
  std::span<const std::int64_t> step;  ///< bytes, one per TensorProgram::iterators; 0 where it does not occur
};

/// A statement compiled for repeated execution over strided memory, with the very results of `interpret`
/// (float sums in iteration order). The caller guarantees that every touched byte exists, and that the target overlaps
/// no other operand unless element for element. Runs on different threads do not disturb each other. Lookups are the
/// caller's: the base of an operand that is read at a looked-up index must point there, and one run is one such index.
class Kernel {
 public:
  /// Throws std::invalid_argument if the statement accesses one operand in two ways (x[i] and x[i + 1]): one address
  /// and one set of steps cannot say where they lie.
  Kernel(const TensorProgram& program, std::size_t statement);
  ~Kernel();
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;

  /// `extents` one per program iterator (those that do not occur are ignored); `operands` one per program operand.
  void run(std::span<const std::int64_t> extents, std::span<const StridedOperand> operands) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace accord
