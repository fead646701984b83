#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace accord::sim {

/// Per unit, how many of its operations are known to have happened.
class VectorClock {
 public:
  explicit VectorClock(std::size_t units = 0) : counts_(units, 0) {}
  std::uint64_t& operator[](std::size_t unit) { return counts_[unit]; }
  std::uint64_t operator[](std::size_t unit) const { return counts_[unit]; }
  void join(const VectorClock& other) {
    for (std::size_t u = 0; u < counts_.size(); ++u) counts_[u] = std::max(counts_[u], other.counts_[u]);
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace accord::sim
