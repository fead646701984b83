#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/tensor/kernel_plan.h"

namespace accord {

/// Calls `body(pointers)` for every point of the loops listed in `outer` (ascending: outermost first), in row-major
/// order, with the address of each slot there. `counters` is scratch.
template <typename Body>
void for_each_outer(const LoopNest& nest, std::span<const std::size_t> outer, std::vector<std::int64_t>& counters,
                    std::span<std::byte*> pointers, Body&& body) {
  counters.assign(outer.size(), 0);
  while (true) {
    body();
    std::size_t level = outer.size();
    while (level-- > 0) {
      const std::size_t loop = outer[level];
      const bool wraps = ++counters[level] == nest.loops[loop].extent;
      const std::int64_t distance = wraps ? 1 - nest.loops[loop].extent : 1;
      for (std::size_t slot = 0; slot < nest.slots; ++slot) pointers[slot] += distance * nest.step(loop, slot);
      if (!wraps) break;
      counters[level] = 0;
    }
    if (level == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace accord
