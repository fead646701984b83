#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// Last operation of each unit that wrote and read each buffer.
class BufferHistory {
 public:
  BufferHistory(int buffers, int units) : units_(units), last_(static_cast<std::size_t>(buffers * units * 2), -1) {}

  /// Calls fn(operation) for every one on another unit that `op` must see done, and for those on its own unit that it
  /// must follow: a unit keeps the order of all that touch one buffer, so that the last stands for those before it.
  template <typename Fn>
  void dependences(const LowOp& op, Fn&& fn) const {
    for (const auto& access : op.buffers()) {
      for (int u = 0; u < units_; ++u) {
        if (const auto p = at(access.buffer, u, true); p >= 0) fn(p);
        if (!access.write && u != op.unit) continue;
        if (const auto p = at(access.buffer, u, false); p >= 0) fn(p);
      }
    }
  }

  void record(const LowOp& op, std::int64_t index) {
    for (const auto& access : op.buffers()) last_[slot(access.buffer, op.unit, access.write)] = index;
  }

 private:
  std::size_t slot(int buffer, int unit, bool write) const {
    return static_cast<std::size_t>((buffer * units_ + unit) * 2 + (write ? 1 : 0));
  }
  std::int64_t at(int buffer, int unit, bool write) const { return last_[slot(buffer, unit, write)]; }
  int units_;
  std::vector<std::int64_t> last_;
};

}  // namespace accord
