#include "compiler/lowering/address_history.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <set>
#include <utility>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::int64_t most_words = 1 << 18;  // told apart in one memory: order is coarser in larger ones, never lost

/// By memory, the units with a route or an operand there.
std::vector<std::set<int>> users_of_memories(const Architecture& architecture) {
  std::vector<std::set<int>> users(architecture.memories.size());
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) {
    const auto touch = [&](int memory) {
      if (memory >= 0) users[static_cast<std::size_t>(memory)].insert(u);
    };
    for (const Route& route : architecture.units[u].routes) {
      touch(route.source);
      touch(route.target);
      std::ranges::for_each(route.also, touch);
    }
    for (const Capability& capability : architecture.units[u].capabilities) {
      for (const CapabilityOperand& operand : capability.operands) touch(operand.memory);
    }
  }
  return users;
}

}  // namespace

AddressHistory::Words AddressHistory::words_of(std::vector<int> users, int shift, std::int64_t count) {
  return {shift, count, std::move(users), std::vector<Page>(static_cast<std::size_t>((count >> page_bits) + 1))};
}

AddressHistory::AddressHistory(const Architecture& architecture) {
  const auto users = users_of_memories(architecture);
  for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
    const Memory& memory = architecture.memories[m];
    const auto least = std::max<std::int64_t>(memory.word, ceil_div(memory.capacity, most_words));
    const int shift = std::bit_width(static_cast<std::uint64_t>(least)) - 1;
    const std::int64_t count = memory.off_chip || users[m].empty() ? 0 : (memory.capacity >> shift) + 1;
    memories_.push_back(words_of({users[m].begin(), users[m].end()}, shift, count));
  }
  // What a unit holds is a memory of its own.
  for (int unit = 0; unit < static_cast<int>(architecture.units.size()); ++unit)
    memories_.push_back(words_of({unit}, 0, 1));
}

void AddressHistory::record(std::int64_t id, int unit, std::span<const AddressRange> ranges) {
  for (const auto& range : ranges) {
    Words& words = memories_[range.memory];
    const auto user = static_cast<std::size_t>(std::ranges::lower_bound(words.users, unit) - words.users.begin());
    assert(std::ranges::binary_search(words.users, unit));
    each_page(words, range, [&](std::size_t p, std::size_t first, std::size_t last) {
      Page& page = words.pages[p];
      if (page.empty()) page.assign(words.place(page_words, 0), -1);
      for (std::size_t w = first; w <= last; ++w) {
        std::int64_t* const done = &page[words.place(w, user)];
        if (range.reads) done[0] = id;
        if (range.writes) done[1] = id;
      }
    });
  }
}

}  // namespace accord
