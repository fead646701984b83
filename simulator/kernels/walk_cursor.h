#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// Follows a transfer's walk: contiguous pieces, one after the other, without a division for each.
class WalkCursor {
 public:
  /// At that byte of the walk. A gather's list must have been read.
  void start(const Operation& operation, std::int64_t at);

  /// Calls `visit(source offset, target offset, bytes)` for the pieces of the next `bytes` bytes.
  template <class Visit>
  void advance(std::int64_t bytes, Visit&& visit) {
    while (bytes > 0) {
      const std::int64_t length = std::min(row_ - within_, bytes);
      visit(source_ + within_, target_ + within_, length);
      bytes -= length;
      within_ += length;
      if (within_ == row_) next_row();
    }
  }

  /// Whether the mover holds the bytes from here on already: a dimension that steps by 0 at the source repeats them.
  bool repeats() const { return repeating_ > 0; }

 private:
  void next_row();
  // Steps of the source, from the dimension's first on.
  std::int64_t source_steps(std::size_t dim, std::int64_t step) const {
    return static_cast<int>(dim) == walk_->gather ? operation_->indices[static_cast<std::size_t>(step)] : step;
  }

  const Operation* operation_ = nullptr;
  const Walk* walk_ = nullptr;
  std::int64_t row_ = 0;  ///< bytes
  std::array<std::int64_t, most_walk_dims> steps_{};
  std::int64_t within_ = 0;               ///< the row
  std::int64_t source_ = 0, target_ = 0;  ///< of the row
  int repeating_ = 0;                     ///< dimensions that do
};

/// The same for bytes [first, last) of the walk.
template <class Visit>
void for_each_piece(const Operation& operation, std::int64_t first, std::int64_t last, Visit&& visit) {
  if (first >= last) return;
  WalkCursor cursor;
  cursor.start(operation, first);
  cursor.advance(last - first, visit);
}

}  // namespace accord::sim
