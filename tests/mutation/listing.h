#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord::test {

/// A program's instructions, decoded. They can be changed, taken out and put in: the lengths of the loops around them,
/// stages and the map follow.
class Listing {
 public:
  /// Throws Error on an instruction that does not decode.
  Listing(const Architecture& architecture, Program program);

  std::int64_t size() const { return static_cast<std::int64_t>(instructions_.size()); }
  const Instruction& operator[](std::int64_t i) const { return instructions_[static_cast<std::size_t>(i)]; }
  Instruction& operator[](std::int64_t i) { return instructions_[static_cast<std::size_t>(i)]; }
  const Mnemonic& mnemonic(std::int64_t i) const;

  /// The argument's value where no register takes part in it, else -1.
  std::int64_t constant(std::int64_t i, std::size_t argument) const;

  /// Whether both lie in the same stage and the same loops.
  bool together(std::int64_t a, std::int64_t b) const;

  /// False, with nothing changed, where the length of a loop around the place cannot be adapted.
  bool erase(std::int64_t at);
  /// Before instruction `at`, in its stage and loops. False as above.
  bool insert(std::int64_t at, const Instruction& instruction);

  /// Encoded again.
  Program program() const;

 private:
  /// The loops whose bodies hold the instruction.
  std::vector<std::int64_t> around(std::int64_t at) const;
  std::int64_t stage(std::int64_t at) const;
  bool lengthen(const std::vector<std::int64_t>& loops, std::int64_t by);
  void shift(std::int64_t at, std::int64_t by);

  const Architecture& architecture_;
  Program program_;
  std::vector<Instruction> instructions_;
};

}  // namespace accord::test
