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
      each_page(words, range, [&](std::size_t p, std::size_t first, std::size_t last) {
        const Page& page = words.pages[p];
        if (page.empty()) return;
        for (std::size_t w = first; w <= last; ++w) {
          for (std::size_t s = 0; s < words.users.size(); ++s) {
            const int user = words.users[s];
            const std::int64_t* const done = &page[words.place(w, s)];
            if (done[1] >= 0) fn(done[1], user != unit || (range.reads && !in_place));
            if (done[0] >= 0 && (range.writes || user == unit)) fn(done[0], user != unit);
          }
        }
      });
    }
  }

  void record(std::int64_t id, int unit, std::span<const AddressRange> ranges);

 private:
  static constexpr int page_bits = 8;  ///< log2 of the words in a page
  static constexpr std::int64_t page_words = 1 << page_bits;

  using Page = std::vector<std::int64_t>;  ///< [word][user][read, written]; -1: none. Empty: nothing touched it

  struct Words {
    int shift = 0;           ///< log2 of the bytes told apart
    std::int64_t count = 0;  ///< words
    std::vector<int> users;  ///< units that can touch it, ascending
    std::vector<Page> pages;

    std::size_t place(std::size_t word, std::size_t user) const { return 2 * (word * users.size() + user); }
  };

  /// Calls fn(page, first, last) with the words within each page.
  template <typename Fn>
  static void each_page(const Words& words, const AddressRange& range, Fn&& fn) {
    const std::int64_t first = std::max<std::int64_t>(range.low >> words.shift, 0);
    const std::int64_t last = std::min((range.high - 1) >> words.shift, words.count - 1);
    for (std::int64_t w = first; w <= last;) {
      const std::int64_t end = std::min(last, w | (page_words - 1));
      fn(static_cast<std::size_t>(w >> page_bits), static_cast<std::size_t>(w & (page_words - 1)),
         static_cast<std::size_t>(end & (page_words - 1)));
      w = end + 1;
    }
  }

  static Words words_of(std::vector<int> users, int shift, std::int64_t count);

  std::vector<Words> memories_;
};

}  // namespace accord
