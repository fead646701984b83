#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/lowering/address_ranges.h"

namespace accord {

/// Which operations touched which on-chip addresses last, word by word: the order that a machine without buffers of its
/// own keeps. Ids grow in program order.
class AddressHistory {
 public:
  explicit AddressHistory(const Architecture& architecture);

  /// Calls fn(id, waits) for each earlier operation whose order with this one matters: all that conflict, and of its
  /// own unit those that touch the same words at all. `waits`: it must see that one done; else only begin after it.
  template <typename Fn>
  void before(int unit, std::span<const AddressRange> ranges, Fn&& fn) const {
    for (const auto& range : ranges) {
      const bool in_place = range.reads && range.writes;
      const Words& words = memories_[range.memory];
      const std::size_t users = words.users.size();
      each_word(words, range, [&](std::size_t first) {
        for (std::size_t s = 0; s < users; ++s) {
          const int user = words.users[s];
          const std::int64_t read = words.last[first + 2 * s], written = words.last[first + 2 * s + 1];
          if (written >= 0) fn(written, user != unit || (range.reads && !in_place));
          if (read >= 0 && (range.writes || user == unit)) fn(read, user != unit);
        }
      });
    }
  }

  void record(std::int64_t id, int unit, std::span<const AddressRange> ranges);

 private:
  struct Words {
    int shift = 0;                   ///< log2 of the bytes told apart
    std::vector<int> users;          ///< units that can touch it, ascending
    std::vector<std::int64_t> last;  ///< [word][user][read, written]; -1: none
  };

  /// Calls fn with the place in `last` of each word's first user.
  template <typename Fn>
  static void each_word(const Words& words, const AddressRange& range, Fn&& fn) {
    const auto step = static_cast<std::int64_t>(2 * words.users.size());
    const std::int64_t end = step == 0 ? 0 : static_cast<std::int64_t>(words.last.size()) / step;
    const std::int64_t first = std::max<std::int64_t>(range.low >> words.shift, 0);
    const std::int64_t last = std::min((range.high - 1) >> words.shift, end - 1);
    for (std::int64_t w = first; w <= last; ++w) fn(static_cast<std::size_t>(w * step));
  }

  std::vector<Words> memories_;
};

}  // namespace accord
