#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/lowering/operation.h"
#include "compiler/lowering/step_instructions.h"

namespace accord {

/// Appends a transfer with its argument values to a list.
LowOp& append_transfer(const Machine& machine, OpList& list, const Hop& hop, const TransferPiece& piece,
                       const TransferEnd& source, const TransferEnd& target);

/// Makes the list's transfer another way's that takes the same arguments.
void bring_by(const Machine& machine, const OpList& list, const Hop& hop, LowOp& op);

/// Appends operations with their argument values to a list.
class Instructions {
 public:
  Instructions(const Machine& machine, const Mapping& mapping, OpList& list)
      : machine_(machine), mapping_(mapping), list_(list) {}

  LowOp& transfer(const Hop& hop, const TransferPiece& piece, const TransferEnd& source, const TransferEnd& target) {
    return append_transfer(machine_, list_, hop, piece, source, target);
  }

  /// All instructions of a step over a box. `begins`: another capability does the first ones of the sums, which are
  /// here.
  void step(int s, const std::vector<PlacedUse>& uses, const Extents& box, bool begins);

  /// Held operands are loaded again: what comes next does not follow what stands in the list.
  void forget_held() { held_.clear(); }

 private:
  StepInstructions& of_shape(int s, const std::vector<PlacedUse>& uses, const Extents& box, bool begins);

  const Machine& machine_;
  const Mapping& mapping_;
  OpList& list_;
  std::map<int, HeldTiles> held_;                                ///< by step
  std::map<std::vector<std::int64_t>, StepInstructions> steps_;  ///< by step, box, layouts and places in them
  std::vector<std::int64_t> shape_;                              ///< key that is looked for
  std::size_t kept_ = 0;                                         ///< instructions in `steps_`
};

}  // namespace accord
