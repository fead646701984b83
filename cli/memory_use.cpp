#include "cli/memory_use.h"

#include <algorithm>
#include <utility>

namespace accord {

namespace {

using ByteRange = std::pair<std::int64_t, std::int64_t>;

/// From the first element to the end of the last one.
ByteRange range_of(const Symbol& symbol) {
  ByteRange range{symbol.address, symbol.address};
  for (std::size_t i = 0; i < symbol.extents().size(); ++i) {
    const std::int64_t reach = (symbol.extents()[i] - 1) * symbol.strides[i];
    (reach < 0 ? range.first : range.second) += reach;
  }
  range.second += bytes(symbol.type);
  return range;
}

std::int64_t united(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::int64_t total = 0, end = INT64_MIN;
  for (const auto& [from, to] : ranges) {
    total += std::max<std::int64_t>(to - std::max(from, end), 0);
    end = std::max(end, to);
  }
  return total;
}

}  // namespace

std::vector<MemoryUse> memory_use(const Architecture& architecture, const Program& program) {
  std::vector<MemoryUse> uses;
  for (const Memory& memory : architecture.memories) {
    if (!memory.off_chip) continue;
    MemoryUse use{memory.name, memory.capacity, 0, 0, 0};
    std::vector<ByteRange> ranges;
    for (const Symbol& symbol : program.symbols) {
      if (symbol.memory != memory.name || symbol.role == Symbol::Role::constant) continue;
      ranges.push_back(range_of(symbol));
      use.tensors_apart += ranges.back().second - ranges.back().first;
    }
    use.tensors = united(std::move(ranges));
    for (const Image& image : program.images) {
      if (image.memory == memory.name) use.constants += static_cast<std::int64_t>(image.bytes.size());
    }
    if (use.tensors + use.constants > 0) uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace accord
