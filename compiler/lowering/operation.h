#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/isa/emit.h"

namespace accord {

/// A buffer that an operation reads or writes: one copy of one tile. Order between units follows from these.
struct BufferAccess {
  int buffer = -1;
  bool write = false;
};

/// One operation before encoding: a mnemonic with the values its arguments must take.
struct LowOp {
  int mnemonic = -1;
  int unit = -1;
  int statement = -1;       ///< label index
  std::uint32_t first = 0;  ///< of its values in OpList::values
  std::uint32_t count = 0;
  std::int32_t busy = 1;                    ///< predicted cycles until the unit takes the next one
  std::int32_t latency = 1;                 ///< predicted cycles until its results are there
  std::array<BufferAccess, 16> accesses{};  ///< a capability has at most 16 operands
  std::uint8_t access_count = 0;

  void touch(int buffer, bool write) {
    if (buffer >= 0 && access_count < accesses.size()) accesses[access_count++] = {buffer, write};
  }
  std::span<const BufferAccess> buffers() const { return {accesses.data(), access_count}; }
};

/// A repeated body: operations [first, first + length), with the loops in it, of which argument values grow by `deltas`
/// per turn. What loops inside add to them is the same in all turns.
struct LowLoop {
  std::size_t first = 0;
  std::size_t length = 0;
  std::int64_t turns = 1;
  std::vector<std::int64_t> deltas;  ///< per value of the body, in order
  std::int64_t interval = 0;         ///< predicted cycles of a turn; 0: not scheduled yet
};

/// Operations of a layer in an order that is right one after another.
struct OpList {
  std::vector<LowOp> ops;
  std::vector<MaybeValue> values;
  std::vector<LowLoop> loops;  ///< by their first operation, outer before inner; nested or disjoint
  int buffers = 0;             ///< number of buffer ids
};

}  // namespace accord
