#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "archdsl/tensor/kernel_plan.h"
#include "archdsl/tensor/kernel_tape.h"

namespace accord {

/// A step of the tape for one run: which of its arguments are scalars is known.
struct BoundStep {
  const TapeStep* step = nullptr;
  LaneTable::Binary binary = nullptr;
  bool is_scalar = false;  ///< a single lane is computed
  bool fill_a = false, fill_b = false, fill_c = false;
};

/// Memory that runs on one thread share, so that a run allocates nothing once it is warm.
struct KernelScratch {
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  /// What an access's register holds: the same block again need not be loaded again.
  struct Loaded {
    const std::byte* from = nullptr;
    std::int64_t count = 0;
  };

  LoopNest nest;
  std::vector<std::size_t> outer;
  std::vector<std::int64_t> counters;
  std::vector<std::byte*> pointers;
  std::vector<const std::byte*> registers;
  std::vector<Loaded> loaded;   ///< by access
  std::vector<char> is_scalar;  ///< by register
  std::vector<BoundStep> steps;
  std::vector<Line> lanes;
  std::vector<Line> panels;
};

}  // namespace accord
