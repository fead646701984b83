#include "compiler/lowering/buffers.h"

#include <algorithm>

namespace accord {
namespace {

/// Hands a memory out from both ends: operands that one instruction reads together get to lie in different banks.
class MemorySpace {
 public:
  explicit MemorySpace(const Region& region) : low_(region.base), high_(region.base + region.bytes) {}

  std::int64_t take(std::int64_t bytes, bool from_top) {
    if (from_top) return high_ -= bytes;
    low_ += bytes;
    return low_ - bytes;
  }

 private:
  std::int64_t low_;
  std::int64_t high_;
};

}  // namespace

std::vector<std::vector<TileBuffer>> place_buffers(const Machine& machine, Geometry& geometry, const Mapping& mapping,
                                                   int& count) {
  std::vector<MemorySpace> spaces;
  for (std::size_t m = 0; m < machine.architecture.memories.size(); ++m) {
    spaces.emplace_back(region_of(machine.architecture, mapping, static_cast<int>(m)));
  }
  std::vector<int> inputs(machine.architecture.memories.size(), 0);
  std::vector<std::vector<TileBuffer>> buffers(mapping.uses.size());
  count = 0;
  const TileBuffer* accumulator = nullptr;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    buffers[u].resize(static_cast<std::size_t>(std::max(use.depth, 1)));
    for (int level = 0; level < use.depth; ++level) {
      const bool inner = level + 1 == use.depth;
      if (use.role == UseRole::start && inner) continue;
      if (use.role == UseRole::accumulator && (!inner || use.step != 0)) continue;
      TileBuffer& buffer = buffers[u][level];
      const int memory = memory_at(machine.architecture, use, level);
      buffer.bytes = geometry.layout(static_cast<int>(u), level, mapping.tile[box_level(mapping, use, level)]).bytes;
      buffer.copies = copies_at(mapping, static_cast<int>(u), level);
      const bool second = use.step == 0 && use.role == UseRole::input && inputs[memory]++ % 2 == 1;
      buffer.base = spaces[memory].take(buffer.bytes * buffer.copies, second);
      buffer.first = count;
      count += buffer.copies;
      if (use.role == UseRole::accumulator) accumulator = &buffer;
    }
  }
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role == UseRole::accumulator && use.step != 0 && accumulator != nullptr) {
      buffers[u][use.depth - 1] = *accumulator;
    }
  }
  return buffers;
}

}  // namespace accord
