#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// Last operation of each unit that wrote and read each part of each buffer.
class BufferHistory {
 public:
  BufferHistory(std::size_t buffers, int units)
      : units_(units), last_(buffers * buffer_parts * static_cast<std::size_t>(units) * 2, -1) {}

  /// Calls fn(operation) for every one on another unit that `op` must see done, and for those on its own unit that it
  /// must follow: a unit keeps the order of all that touch one buffer, so that the last stands for those before it.
  template <typename Fn>
  void dependences(const LowOp& op, Fn&& fn) const {
    for (const auto& access : op.buffers()) {
      for (int part = access.first; part <= access.last; ++part) {
        for (int u = 0; u < units_; ++u) {
          if (const auto p = at(access.buffer, part, u, true); p >= 0) fn(p);
          if (!access.write && u != op.unit) continue;
          if (const auto p = at(access.buffer, part, u, false); p >= 0) fn(p);
        }
      }
    }
  }

  void record(const LowOp& op, std::int64_t index) {
    for (const auto& access : op.buffers()) {
      for (int part = access.first; part <= access.last; ++part) {
        last_[slot(access.buffer, part, op.unit, access.write)] = index;
      }
    }
  }

 private:
  std::size_t slot(int buffer, int part, int unit, bool write) const {
    return (static_cast<std::size_t>(buffer * buffer_parts + part) * static_cast<std::size_t>(units_) +
            static_cast<std::size_t>(unit)) *
               2 +
           (write ? 1 : 0);
  }
  std::int64_t at(int buffer, int part, int unit, bool write) const { return last_[slot(buffer, part, unit, write)]; }
  int units_;
  std::vector<std::int64_t> last_;
};

}  // namespace accord
