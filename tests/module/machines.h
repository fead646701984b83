#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord::test {

inline constexpr Sync::Kind sync_kinds[] = {Sync::Kind::in_order, Sync::Kind::interlock, Sync::Kind::semaphores};

/// Adds a mnemonic whose arguments are 64-bit fields of their own, with the arguments' names.
Mnemonic& add_mnemonic(Architecture& architecture, const std::string& name, Meaning meaning, int unit = -1,
                       int index = -1);

/// A 16x16 matrix machine: load (dram -> spad), load_acc (dram -> acc), matmul (spad x spad -> acc; 14 + max(i, 16) +
/// 34 cycles), store (acc -> dram), copy (acc -> dram, i32 to i8), fence, loop, wait_UNIT, signal_UNIT.
Architecture matrix_machine(Sync::Kind sync);

/// A vector machine of 32 lanes, in order: load (l2 -> registers), dot (i32 += i8 * i8 over 4), add, store, loop, and
/// `bump`, which adds to address registers 0..3; bases are register + field.
Architecture vector_machine();

/// Writes a program instruction by instruction.
class Assembler {
 public:
  explicit Assembler(const Architecture& architecture) : architecture_(architecture) {
    program.architecture = architecture.name;
    program.architecture_hash = architecture.hash;
  }
  /// Returns the instruction's index.
  std::int64_t emit(const std::string& mnemonic, const std::vector<std::pair<std::string, std::int64_t>>& fields = {});
  void image(const std::string& memory, std::int64_t address, const std::vector<std::int8_t>& bytes);
  /// One layer of all instructions so far that no layer has.
  void layer(const std::string& name, const std::vector<std::string>& outputs = {});

  Program program;

 private:
  const Architecture& architecture_;
  std::int64_t count_ = 0, mapped_ = 0;
};

}  // namespace accord::test
