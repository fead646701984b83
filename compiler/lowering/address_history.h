#pragma once

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
      each_word(range, [&](const std::int64_t* word) {
        for (int u = 0; u < units_; ++u) {
          const std::int64_t read = word[2 * u], written = word[2 * u + 1];
          if (written >= 0) fn(written, u != unit || (range.reads && !in_place));
          if (read >= 0 && (range.writes || u == unit)) fn(read, u != unit);
        }
      });
    }
  }

  void record(std::int64_t id, int unit, std::span<const AddressRange> ranges);

 private:
  struct Words {
    int shift = 0;                   ///< log2 of the bytes told apart
    std::vector<std::int64_t> last;  ///< [word][unit][read, written]; -1: none
  };

  template <typename Fn>
  void each_word(const AddressRange& range, Fn&& fn) const {
    const Words& words = memories_[range.memory];
    const std::int64_t step = 2 * units_;
    const std::int64_t end = static_cast<std::int64_t>(words.last.size()) / step;
    const std::int64_t first = std::max<std::int64_t>(range.low >> words.shift, 0);
    const std::int64_t last = std::min((range.high - 1) >> words.shift, end - 1);
    for (std::int64_t w = first; w <= last; ++w) fn(words.last.data() + w * step);
  }

  int units_;
  std::vector<Words> memories_;
};

}  // namespace accord
