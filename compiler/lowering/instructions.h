#pragma once

#include <cstdint>
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

/// Appends operations with their argument values to a list.
class Instructions {
 public:
  Instructions(const Machine& machine, const Mapping& mapping, OpList& list)
      : machine_(machine), mapping_(mapping), list_(list) {}

  LowOp& transfer(const Hop& hop, const TransferPiece& piece, std::int64_t source, std::int64_t target);

  /// All instructions of a step over a box: loops around, chunks of the dims, held operands outermost.
  void step(int s, const std::vector<PlacedUse>& uses, const Extents& box);

 private:
  const Machine& machine_;
  const Mapping& mapping_;
  OpList& list_;
};

}  // namespace accord
