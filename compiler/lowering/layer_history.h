#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/lowering/address_ranges.h"

namespace accord {

/// Which operations of the layers so far touched which addresses last. It knows addresses by granules, each memory's
/// bytes in so many parts: order is coarser in larger memories, never lost.
class LayerHistory {
 public:
  /// `tensor_bytes`: of off-chip memory that tensors lie in; what lies beyond counts as one granule.
  LayerHistory(const Architecture& architecture, std::int64_t tensor_bytes);

  /// An operation by its place in its unit's order, and when it is predicted to be done.
  struct Place {
    std::int64_t position = -1;
    std::int64_t done = 0;
  };

  /// Calls fn(unit, memory, place) for the operations of other units that conflict with these ranges.
  template <typename Fn>
  void before(int unit, std::span<const AddressRange> ranges, Fn&& fn) const {
    for (const auto& range : ranges) {
      each_granule(range, [&](std::size_t at) {
        for (const Last& last : memories_[range.memory].granules[at]) {
          if (last.unit == unit) continue;
          if (last.written.position >= 0) fn(last.unit, range.memory, last.written);
          if (range.writes && last.read.position >= 0) fn(last.unit, range.memory, last.read);
        }
      });
    }
  }

  void record(int unit, Place place, std::span<const AddressRange> ranges);

  /// All before is done.
  void clear();

 private:
  struct Last {
    int unit = -1;
    Place read, written;
  };
  struct Granules {
    int shift = 0;  ///< log2 of a granule's bytes
    std::vector<std::vector<Last>> granules;
  };

  template <typename Fn>
  void each_granule(const AddressRange& range, Fn&& fn) const {
    const Granules& memory = memories_[range.memory];
    const auto last = static_cast<std::int64_t>(memory.granules.size()) - 1;
    const std::int64_t from = std::clamp<std::int64_t>(range.low >> memory.shift, 0, last);
    const std::int64_t to = std::clamp<std::int64_t>((range.high - 1) >> memory.shift, 0, last);
    for (std::int64_t g = from; g <= to; ++g) fn(static_cast<std::size_t>(g));
  }

  std::vector<Granules> memories_;
};

}  // namespace accord
