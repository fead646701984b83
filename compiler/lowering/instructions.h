#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/lowering/operation.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

/// A memory operand of a step at a place: its tile's address, and where in the tile the box begins.
struct PlacedUse {
  UseView view;
  std::int64_t base = 0;
  Extents start;    ///< of the box within the tile; empty for off-chip operands (base is the box's)
  int buffer = -1;  ///< -1: off-chip
};

/// What a step's unit has loaded of the operands that it holds.
struct HeldTiles {
  /// Per held operand: base, extents and strides with which it was loaded; empty: nothing known.
  std::vector<std::vector<std::int64_t>> loaded;
  std::size_t ops = 0;  ///< of the list when the step's last instruction stood there
};

/// Appends a transfer with its argument values to a list.
LowOp& append_transfer(const Machine& machine, OpList& list, const Hop& hop, const TransferPiece& piece,
                       std::int64_t source, std::int64_t target);

/// Appends operations with their argument values to a list.
class Instructions {
 public:
  Instructions(const Machine& machine, const Mapping& mapping, OpList& list)
      : machine_(machine), mapping_(mapping), list_(list) {}

  LowOp& transfer(const Hop& hop, const TransferPiece& piece, std::int64_t source, std::int64_t target) {
    return append_transfer(machine_, list_, hop, piece, source, target);
  }

  /// All instructions of a step over a box: loops around, chunks of the dims, held operands outermost.
  /// A held operand is not loaded again while the unit has it and its bytes in memory are unchanged.
  void step(int s, const std::vector<PlacedUse>& uses, const Extents& box);

  /// Held operands are loaded again: what comes next does not follow what stands in the list.
  void forget_held() { held_.clear(); }

 private:
  const Machine& machine_;
  const Mapping& mapping_;
  OpList& list_;
  std::map<int, HeldTiles> held_;  ///< by step
};

}  // namespace accord
