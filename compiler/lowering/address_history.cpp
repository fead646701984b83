#include "compiler/lowering/address_history.h"

#include <bit>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::int64_t most_words = 1 << 14;  // told apart in one memory: order is coarser in larger ones, never lost

}  // namespace

AddressHistory::AddressHistory(const Architecture& architecture) : units_(static_cast<int>(architecture.units.size())) {
  for (const Memory& memory : architecture.memories) {
    Words words;
    if (!memory.off_chip) {
      const auto least = std::max<std::int64_t>(memory.word, ceil_div(memory.capacity, most_words));
      words.shift = std::bit_width(static_cast<std::uint64_t>(least)) - 1;
      const std::int64_t count = (memory.capacity >> words.shift) + 1;
      words.last.assign(static_cast<std::size_t>(count * units_ * 2), -1);
    }
    memories_.push_back(std::move(words));
  }
  for (int unit = 0; unit < units_; ++unit) {
    memories_.push_back({0, std::vector<std::int64_t>(static_cast<std::size_t>(units_ * 2), -1)});
  }
}

void AddressHistory::record(std::int64_t id, int unit, std::span<const AddressRange> ranges) {
  for (const auto& range : ranges) {
    each_word(range, [&](const std::int64_t* word) {
      auto* slots = memories_[range.memory].last.data() + (word - memories_[range.memory].last.data());
      if (range.reads) slots[2 * unit] = id;
      if (range.writes) slots[2 * unit + 1] = id;
    });
  }
}

}  // namespace accord
