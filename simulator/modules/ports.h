#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "simulator/time/timeline.h"

namespace accord::sim {

/// A bank's ports for reads or for writes. They are alike: words go through those that are free first.
class Ports {
 public:
  Ports(int count, const Period& own)
      : lines_(static_cast<std::size_t>(count), Timeline(own)), ends_(lines_.size()), all_(lines_.size()) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  std::size_t count() const { return lines_.size(); }
  Timeline& operator[](std::size_t port) { return lines_[port]; }

  /// The first of those that are free first.
  std::size_t next() const { return static_cast<std::size_t>(std::ranges::min_element(ends_) - ends_.begin()); }

  /// All ports, such that the first `more` are free no later than the others; until the next call.
  const std::vector<std::size_t>& by_end(std::size_t more) {
    if (more == 0) return all_;
    order_ = all_;
    const auto end_of = [this](std::size_t port) { return ends_[port]; };
    std::ranges::nth_element(order_, order_.begin() + static_cast<std::ptrdiff_t>(more), {}, end_of);
    return order_;
  }

  /// To be called after something of the port was taken.
  void taken(std::size_t port) { ends_[port] = lines_[port].last_part(); }

 private:
  std::vector<Timeline> lines_;
  std::vector<std::int64_t> ends_;  ///< of each: its last part, side by side for the search
  std::vector<std::size_t> all_;    ///< numbers
  std::vector<std::size_t> order_;  ///< scratch
};

}  // namespace accord::sim
