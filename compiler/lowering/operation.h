#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/isa/emit.h"

namespace accord {

/// Where a buffer, one copy of one tile, lies on chip.
struct Buffer {
  int memory = -1;
  std::int64_t base = 0;
  std::int64_t bytes = 0;
};

/// Order between units is kept by these parts of a buffer: work on a tile begins before all of it is there.
constexpr int buffer_parts = 8;

/// The parts of a buffer that an operation reads or writes. Packed: lists have millions of operations.
struct BufferAccess {
  std::uint32_t buffer : 25 = 0;
  std::uint32_t write : 1 = 0;
  std::uint32_t first : 3 = 0;
  std::uint32_t last : 3 = buffer_parts - 1;
};

/// Where a transfer begins or ends.
struct TransferEnd {
  std::int64_t address = 0;
  int buffer = -1;          ///< -1: off-chip
  std::uint32_t image = 0;  ///< LowOp::image
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
  std::int32_t link = 0;                    ///< of `busy`, what a transfer takes of the links that it passes
  std::int32_t requests = 0;                ///< that a transfer makes
  std::int32_t request = 0;                 ///< bytes of each
  std::int32_t awaited = 0;                 ///< of a transfer's requests, those that keep a place in flight
  std::int32_t answer = 0;                  ///< cycles for which each does
  std::int32_t hurry = 0;                   ///< of `busy` and `latency`, what it waits for room among transfers at once
  std::int32_t dram = 0;                    ///< predicted cycles for which they occupy a DRAM alone
  float batches = 0;                        ///< in which they meet others there (DramTraffic)
  std::array<BufferAccess, 17> accesses{};  ///< a capability has at most 16 operands, a multicast as many targets
  std::array<std::uint16_t, 17> words{};    ///< of each access, that pass its memory's ports; 65535: so many or more
  std::uint8_t access_count = 0;
  bool adds = false;        ///< what it writes it also reads
  std::uint32_t image = 0;  ///< constants' tile that a transfer reads, as the layer's ConstantImages number it; 0: none

  void touch(int buffer, bool write, std::int64_t passing = 0) {
    if (buffer < 0 || access_count == accesses.size()) return;
    assert(buffer < 1 << 25);
    words[access_count] = static_cast<std::uint16_t>(std::min<std::int64_t>(passing, UINT16_MAX));
    accesses[access_count++] = {static_cast<std::uint32_t>(buffer), write, 0, buffer_parts - 1};
  }
  std::span<const BufferAccess> buffers() const { return {accesses.data(), access_count}; }
  std::span<BufferAccess> buffers() { return {accesses.data(), access_count}; }
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
  std::vector<LowLoop> loops;   ///< by their first operation, outer before inner; nested or disjoint
  std::vector<Buffer> buffers;  ///< by id
  bool cuts = false;            ///< a long transfer stands in several operations
  bool divided = false;         ///< several elements do a part of the work each
};

}  // namespace accord
