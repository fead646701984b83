#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "archdsl/tensor/lane_table.h"
#include "archdsl/tensor/statement.h"

namespace accord {

/// One operation over registers. Exactly one of the function kinds is set.
struct TapeStep {
  LaneTable::Unary unary = nullptr;
  const LaneTable::Binary* binary = nullptr;  ///< by LaneTable::Mode
  LaneTable::Select select = nullptr;
  int out = 0;
  int a = 0, b = 0, c = 0;
  LaneType b_type{}, c_type{};  ///< of the arguments of select
  LaneType a_type{};
};

/// A scalar expression as a straight line of operations over registers, each a block of lanes.
/// Registers: first one per access, then the constants, then temporaries.
struct Tape {
  std::vector<ElementType> access_types;
  std::vector<std::uint64_t> constants;  ///< one lane each, in the low bytes
  std::vector<TapeStep> steps;
  int registers = 0;
  int result = 0;

  int first_temporary() const { return static_cast<int>(access_types.size() + constants.size()); }
};

/// Compiles the statement's value, cast to the target's type.
Tape make_tape(const TensorProgram& program, const Statement& statement);

}  // namespace accord
