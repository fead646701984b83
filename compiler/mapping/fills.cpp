#include "compiler/mapping/fills.h"

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

struct Turns {
  int iterator = -1;
  std::int64_t count = 0;
};

/// The loops of a level that turn more than once, outermost first.
std::vector<std::vector<Turns>> turning_loops(const Mapping& mapping) {
  std::vector<std::vector<Turns>> loops(static_cast<std::size_t>(mapping.levels));
  for (int level = 0; level < mapping.levels; ++level) {
    for (const int it : mapping.order[level]) {
      const std::int64_t outer = outer_extent(mapping, level, it), tile = mapping.tile[level][it];
      if (outer > tile) loops[level].push_back({it, ceil_div(outer, tile)});
    }
  }
  return loops;
}

}  // namespace

Fills::Fills(const Mapping& mapping) : mapping_(mapping) {
  fills_.reserve(mapping.uses.size() * static_cast<std::size_t>(mapping.levels));
  const auto loops = turning_loops(mapping);
  for (const Use& use : mapping.uses) {
    std::int64_t all = 1, until_relevant = 1;
    for (const auto& level : loops) {
      for (const Turns& loop : level) {
        all *= loop.count;
        if (depends(use.access, loop.iterator)) until_relevant = all;
      }
      fills_.push_back(until_relevant);
    }
  }
}

}  // namespace accord
