#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/kernels/zeroed_array.h"

namespace accord::sim {

/// Reads of pages that nothing has written so far, such as those of weights: a few entries per page, instead of a
/// shadow as large as the memory. A page that is written, or read in too many ways, is opened: from then on its reads
/// belong into the shadow.
class ReadLog {
 public:
  static constexpr std::int64_t page = 4096;
  struct Entry {
    std::int64_t address = 0;
    std::int64_t length = 0;
    int unit = 0;
    std::uint64_t count = 0;  ///< of the unit's operation
  };

  /// Of a memory of so many bytes. By default no page is logged.
  ReadLog() = default;
  explicit ReadLog(std::int64_t bytes) : pages_(static_cast<std::size_t>(bytes / page + 1)) {}

  /// Notes what of the range lies in closed pages; hands stretches of the others to `in_shadow(address, length)`, and
  /// entries of pages that are opened for it to `opened(entry)`, before.
  template <class InShadow, class Opened>
  void read(const Entry& range, InShadow&& in_shadow, Opened&& opened) {
    const std::int64_t end = range.address + range.length;
    std::int64_t stretch = range.address;  // what is left to hand on begins here
    for (std::int64_t at = range.address; at < end;) {
      const std::int64_t next = std::min(end, (at / page + 1) * page);
      const Entry part{at, next - at, range.unit, range.count};
      if (!is_open(at)) {
        if (note(part)) {
          if (stretch < at) in_shadow(stretch, at - stretch);
          stretch = next;
        } else {
          open(at, opened);
        }
      }
      at = next;
    }
    if (stretch < end) in_shadow(stretch, end - stretch);
  }

  /// Opens all pages of the range.
  template <class Opened>
  void write(std::int64_t address, std::int64_t length, Opened&& opened) {
    for (std::int64_t at = address; at < address + length; at = (at / page + 1) * page) {
      if (!is_open(at)) open(at, opened);
    }
  }

 private:
  static constexpr std::uint32_t opened_page = ~std::uint32_t{0};

  bool is_open(std::int64_t address) const {
    return pages_.size() == 0 || pages_[static_cast<std::size_t>(address / page)] == opened_page;
  }

  /// False where the page's log is full.
  bool note(const Entry& part);

  template <class Opened>
  void open(std::int64_t address, Opened&& opened) {
    for (const Entry& entry : take(address)) opened(entry);
  }
  /// The page's entries, oldest first; it is open now.
  std::vector<Entry> take(std::int64_t address);

  ZeroedArray<std::uint32_t> pages_;      ///< number of the page's log, from 1 on; 0: never read
  std::vector<std::vector<Entry>> logs_;  ///< numbered from 1 on
};

}  // namespace accord::sim
