#include "compiler/lowering/layer_history.h"

#include <bit>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::int64_t most_granules = 1 << 10;

}  // namespace

LayerHistory::LayerHistory(const Architecture& architecture, std::int64_t tensor_bytes) {
  for (const Memory& memory : architecture.memories) {
    const std::int64_t bytes = memory.off_chip ? tensor_bytes : memory.capacity;
    const auto least = std::max<std::int64_t>({memory.word, ceil_div(bytes, most_granules), 1});
    const int shift = std::bit_width(static_cast<std::uint64_t>(least - 1));
    memories_.push_back({shift, {}});
    memories_.back().granules.resize(static_cast<std::size_t>((bytes >> shift) + 2));
  }
}

void LayerHistory::record(int unit, Place place, std::span<const AddressRange> ranges) {
  for (const auto& range : ranges) {
    each_granule(range, [&](std::size_t at) {
      auto& all = memories_[range.memory].granules[at];
      auto last = std::find_if(all.begin(), all.end(), [&](const Last& l) { return l.unit == unit; });
      if (last == all.end()) last = all.insert(all.end(), {unit, {}, {}});
      if (range.reads) last->read = place;
      if (range.writes) last->written = place;
    });
  }
}

void LayerHistory::clear() {
  for (auto& memory : memories_) {
    for (auto& granule : memory.granules) granule.clear();
  }
}

}  // namespace accord
