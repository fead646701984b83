#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// Last operation of each unit that wrote and read each part of each buffer. Of many units few touch one buffer.
class BufferHistory {
 public:
  /// Of this list's operations.
  explicit BufferHistory(const OpList& list)
      : newest_(list.buffers.size() * buffer_parts, none), whole_(std::ranges::all_of(list.ops, of_all_parts)) {}

  /// Calls fn(operation) for every one on another unit that `op` must see done, and for those on its own unit that it
  /// must follow: a unit keeps the order of all that touch one buffer, so that the last stands for those before it.
  template <typename Fn>
  void dependences(const LowOp& op, Fn&& fn) const {
    for (const auto& access : op.buffers()) {
      for (int part = access.first; part <= last_part(access); ++part) {
        for (auto at = newest_[slot(access.buffer, part)]; at != none; at = touches_[at].older) {
          const Touch& touch = touches_[at];
          if (touch.write >= 0) fn(touch.write);
          if (touch.read >= 0 && (access.write || touch.unit == op.unit)) fn(touch.read);
        }
      }
    }
  }

  void record(const LowOp& op, std::int64_t index) {
    for (const auto& access : op.buffers()) {
      for (int part = access.first; part <= last_part(access); ++part) {
        Touch& touch = touch_of(newest_[slot(access.buffer, part)], op.unit);
        (access.write ? touch.write : touch.read) = index;
      }
    }
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  /// What one unit did last with one part of a buffer; -1: nothing.
  struct Touch {
    int unit;
    std::uint32_t older;  ///< next unit's, in `touches_`
    std::int64_t write = -1, read = -1;
  };

  static bool of_all_parts(const LowOp& op) {
    return std::ranges::all_of(
        op.buffers(), [](const BufferAccess& access) { return access.first == 0 && access.last + 1 == buffer_parts; });
  }

  int last_part(const BufferAccess& access) const { return whole_ ? access.first : access.last; }

  static std::size_t slot(int buffer, int part) { return static_cast<std::size_t>(buffer * buffer_parts + part); }

  Touch& touch_of(std::uint32_t& newest, int unit) {
    for (auto at = newest; at != none; at = touches_[at].older) {
      if (touches_[at].unit == unit) return touches_[at];
    }
    touches_.push_back({.unit = unit, .older = newest});
    newest = static_cast<std::uint32_t>(touches_.size() - 1);
    return touches_.back();
  }

  std::vector<std::uint32_t> newest_;  ///< by buffer and part
  std::vector<Touch> touches_;
  bool whole_;  ///< every access is of all parts: the first stands for them
};

}  // namespace accord
