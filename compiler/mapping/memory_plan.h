#pragma once

#include <cstdint>
#include <vector>

namespace accord {

/// Bytes that are taken while the layers `first` to `last` run, both included.
struct Occupant {
  std::int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< of each occupant, from 0
  std::int64_t peak = 0;              ///< end of the last byte
};

/// Places occupants so that those of a common layer lie apart, at multiples of `alignment`. Best fit in three orders
/// (largest first, largest bytes * layers first, earliest first); the least peak wins. The problem is NP-hard (dynamic
/// storage allocation): the peak may exceed `least_peak`. Time grows with the square of the number of occupants.
MemoryPlan plan_memory(const std::vector<Occupant>& occupants, std::int64_t alignment);

/// Greatest sum of aligned bytes taken in one layer: no plan has a smaller peak.
std::int64_t least_peak(const std::vector<Occupant>& occupants, std::int64_t alignment);

}  // namespace accord
