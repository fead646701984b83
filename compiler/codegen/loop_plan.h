#pragma once

#include <string>
#include <vector>

#include "archdsl/isa/emit.h"
#include "compiler/lowering/operation.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// Instructions of a hardware loop's body, and the registers that it runs on.
struct LoopPlan {
  std::vector<RegisterWrite> before;  ///< to be set before the loop
  std::vector<Instruction> body;
  std::vector<RegisterWrite> after;  ///< what the loop leaves behind
  std::string reason;                ///< why it cannot stay a loop; empty: it can
};

/// Finds registers for a loop. Addresses that grow go through register files: those that grow alike share a register as
/// far as displacements reach; the last instruction that goes through it steps it by post-increment, or an add at the
/// end of the body does. All other arguments must stay.
class LoopPlanner {
 public:
  LoopPlanner(const Isa& isa, const Emitter& emitter, const Limits& limits)
      : isa_(isa), emitter_(emitter), limits_(limits) {}

  LoopPlan plan(const OpList& list, const LowLoop& loop, const std::vector<MaybeValue>& known);

 private:
  /// A register that addresses of the body go through.
  struct Pointer {
    int file = -1;  ///< number of the file's first register
    int reg = -1;
    std::int64_t start = 0;
    std::int64_t step = 0;
    std::size_t last = 0;  ///< operation of the body that goes through it last
    bool stepped = false;
  };
  /// An argument that goes through a pointer.
  struct Through {
    std::size_t op = 0;
    std::size_t argument = 0;
    std::size_t pointer = 0;
  };

  bool assign(const OpList& list, const LowLoop& loop, std::string& reason);
  bool assign_argument(const Mnemonic& mnemonic, std::size_t op, std::size_t argument, std::int64_t value,
                       std::int64_t step, std::string& reason);
  bool emit(const OpList& list, const LowLoop& loop, LoopPlan& plan);
  bool direct(Instruction& instruction, std::size_t op, const std::vector<MaybeValue>& values) const;
  void set_amounts(const Mnemonic& mnemonic, std::size_t op, std::vector<MaybeValue>& values);
  bool add_steps(LoopPlan& plan);
  int registers_in(int file) const;

  const Isa& isa_;
  const Emitter& emitter_;
  const Limits& limits_;
  Emission emission_;
  std::vector<Pointer> pointers_;
  std::vector<Through> through_;  ///< ascending by operation
  std::vector<MaybeValue> seen_;  ///< registers as the body finds them in its first turn
};

}  // namespace accord
