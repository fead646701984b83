#include "compiler/mapping/keeping.h"

#include <algorithm>
#include <cstdint>

namespace accord {
namespace {

constexpr std::int64_t most_kept = 64;  ///< tiles of an input

/// Numbers of the use's tiles that come in loops around which others, which do not change them, turn.
std::vector<std::int64_t> rounds_of(const Mapping& mapping, const Use& use) {
  std::vector<std::int64_t> rounds;
  std::int64_t tiles = 1;
  const auto& loops = mapping.order.front();
  for (auto it = loops.rbegin(); it != loops.rend() && tiles <= most_kept; ++it) {
    const std::int64_t turns = trips(mapping, 0, *it);
    if (depends(use.access, *it)) {
      tiles *= turns;
    } else if (turns > 1 && tiles > 1 && (rounds.empty() || rounds.back() != tiles)) {
      rounds.push_back(tiles);
    }
  }
  return rounds;
}

}  // namespace

std::vector<Copies> keeping_copies(const Mapping& mapping, const Copies& others) {
  std::vector<Copies> all;
  if (mapping.rolls) return all;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role != UseRole::input || use.depth == 0) continue;
    for (const std::int64_t tiles : rounds_of(mapping, use)) {
      for (const std::int64_t copies : {tiles, 2 * tiles}) {
        all.push_back(others);
        all.back()[u].front() = static_cast<int>(copies);
      }
    }
  }
  return all;
}

}  // namespace accord
