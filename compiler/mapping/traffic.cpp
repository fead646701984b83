#include "compiler/mapping/traffic.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/mapping/fills.h"

namespace accord {
namespace {

/// One size that an iterator's tile takes at a level, in a box of one size around it.
struct TileClass {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t count = 1;
};

std::vector<TileClass> tile_classes(const Mapping& mapping, int it, int level) {
  std::vector<TileClass> classes = {{mapping.extent[it], mapping.extent[it], 1}};
  for (int l = 0; l <= level; ++l) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next;
    for (const auto& [outer, size, count] : classes) {
      const std::int64_t tile = std::min(mapping.tile[l][it], size);
      next[{size, tile}] += count * (size / tile);
      if (size % tile != 0) next[{size, size % tile}] += count;
    }
    classes.clear();
    for (const auto& [sizes, count] : next) classes.push_back({sizes.first, sizes.second, count});
  }
  return classes;
}

/// Bytes that one use's tiles of a level bring in, or out.
class UseTraffic {
 public:
  UseTraffic(Geometry& geometry, const Work& work, const Mapping& mapping, int use, int level)
      : geometry_(geometry), work_(work), mapping_(mapping), use_(use), level_(level) {}

  std::int64_t bytes() {
    const Use& use = mapping_.uses[use_];
    const bool start = starts_tiles(work_, use, level_);
    const int at = box_level(mapping_, use, level_);
    Extents extents = mapping_.tile[at], outer = at == 0 ? mapping_.extent : mapping_.tile[at - 1];
    visit(0, at, start, 1, extents, outer);
    return start ? total_ : total_ * times_again(at);
  }

 private:
  /// How often each tile is brought in: the turns of the loops that do not change it, around the innermost that does.
  std::int64_t times_again(int at) const {
    if (level_ == 0) return Fills(mapping_).again(use_);
    std::map<int, std::int64_t> turns, until_moved;
    for (int level = 0; level <= at; ++level) {
      for (const int it : mapping_.order[level]) {
        std::int64_t tiles = 0;
        for (const auto& tile : tile_classes(mapping_, it, level)) tiles += tile.count;
        const bool turned = tiles > std::max<std::int64_t>(turns[it], 1);
        turns[it] = tiles;
        if (turned && varies(it, false)) until_moved = turns;
      }
    }
    std::int64_t times = 1;
    for (const auto& [it, n] : until_moved) times *= varies(it, false) ? 1 : std::max<std::int64_t>(n, 1);
    return times;
  }

  /// Initial values are written for every tile of results, whatever they depend on themselves.
  bool varies(int it, bool start) const {
    return start ? !is_reduction(work_, mapping_, it) : depends(mapping_.uses[use_].access, it);
  }

  void visit(std::size_t it, int at, bool start, std::int64_t count, Extents& extents, Extents& outer) {
    if (it == extents.size()) {
      total_ += count * geometry_.move(use_, level_, extents, outer).source_bytes;
      return;
    }
    if (!varies(static_cast<int>(it), start)) {
      visit(it + 1, at, start, count, extents, outer);
      return;
    }
    const std::int64_t size = extents[it], around = outer[it];
    for (const auto& tile : tile_classes(mapping_, static_cast<int>(it), at)) {
      extents[it] = tile.size;
      outer[it] = tile.outer;
      visit(it + 1, at, start, count * tile.count, extents, outer);
    }
    extents[it] = size;
    outer[it] = around;
  }

  Geometry& geometry_;
  const Work& work_;
  const Mapping& mapping_;
  int use_, level_;
  std::int64_t total_ = 0;
};

/// Bytes of an operand that the capability itself reads or writes off chip.
std::int64_t touched(const Work& work, const Mapping& mapping, const Use& use) {
  const int last = use.step == 0 ? mapping.levels - 1 : std::max(target_level(mapping), 0);
  std::int64_t count = bytes(use.type);
  for (std::size_t i = 0; i < mapping.extent.size(); ++i) {
    const int it = static_cast<int>(i);
    if (depends(use.access, it)) {
      count *= mapping.extent[i];
    } else if (use.step == 0 || !is_reduction(work, mapping, it)) {
      std::int64_t tiles = 0;
      for (const auto& tile : tile_classes(mapping, it, last)) tiles += tile.count;
      count *= tiles;
    }
  }
  return count;
}

}  // namespace

Traffic traffic_of(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) {
  Traffic traffic;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role == UseRole::accumulator) continue;
    if (use.depth == 0 && machine.architecture.memories[use.memory].off_chip) {
      const Match& match = mapping.steps[use.step].match;
      const std::int64_t bytes = touched(work, mapping, use);
      traffic.capabilities[{match.unit, match.capability}] += bytes;
      traffic.off_chip[static_cast<int>(u)] += bytes;
    }
    for (int level = 0; level < use.depth; ++level) {
      const Hop& hop = brought_by(use, level);
      const std::int64_t all = UseTraffic(geometry, work, mapping, static_cast<int>(u), level).bytes();
      const std::int64_t bytes = std::llround(static_cast<double>(all) / shared_at(use, level).receivers);
      traffic.routes[{hop.unit, hop.route}] += bytes;
      if (level == 0 && machine.architecture.memories[use.home].off_chip)
        traffic.off_chip[static_cast<int>(u)] += bytes;
    }
  }
  return traffic;
}

}  // namespace accord
