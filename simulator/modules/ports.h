#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
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

  /// The first of those that are free first from `earliest` on.
  std::size_t next(Cycle earliest) {
    const auto first = static_cast<std::size_t>(std::ranges::min_element(ends_) - ends_.begin());
    if (ends_[first] <= earliest * lines_[first].own().denominator) return first;
    find_free(earliest, 1);
    return static_cast<std::size_t>(std::ranges::min_element(free_) - free_.begin());
  }

  /// All ports, first those that are free first for so many parts in one stretch, so many of them in order; until the
  /// next call.
  const std::vector<std::size_t>& by_free(Cycle earliest, std::size_t first, std::int64_t parts) {
    find_free(earliest, parts);
    order_ = all_;
    const auto free_of = [this](std::size_t port) { return free_[port]; };
    std::ranges::partial_sort(order_, order_.begin() + static_cast<std::ptrdiff_t>(first), {}, free_of);
    return order_;
  }

  /// To be called after something of the port was taken.
  void taken(std::size_t port) { ends_[port] = lines_[port].last_part(); }

 private:
  /// Gaps before what was taken for later count; of ports that are free as early the one whose last part is earlier.
  void find_free(Cycle earliest, std::int64_t parts) {
    free_.clear();
    const std::int64_t from = earliest * lines_.front().own().denominator;
    for (std::size_t port = 0; port < lines_.size(); ++port)
      free_.emplace_back(ends_[port] <= from ? earliest : lines_[port].stretch(earliest, parts), ends_[port]);
  }

  std::vector<Timeline> lines_;
  std::vector<std::int64_t> ends_;                    ///< of each: its last part, side by side for the search
  std::vector<std::size_t> all_;                      ///< numbers
  std::vector<std::size_t> order_;                    ///< scratch
  std::vector<std::pair<Cycle, std::int64_t>> free_;  ///< the same: from when on, and the last part
};

}  // namespace accord::sim
