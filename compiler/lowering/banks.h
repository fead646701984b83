#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/mapping/plan.h"

namespace accord {

/// One copy of one tile that wants a place in a memory.
struct PlacedBlock {
  int use = -1;
  int level = -1;
  int copy = 0;
  int place = 0;  ///< of those that parts of divided work have in the memory
  std::int64_t bytes = 0;
  std::int64_t base = 0;  ///< the place
};

/// The end of each memory from which tiles are laid. Layers that follow each other take turns: tiles of the next one
/// may come while the last one's are still in use.
enum class LaidFrom { low, high };

/// Gives blocks of one memory places within the region: each in one bank where it fits, and in the bank whose blocks
/// are accessed least at the same time; where that breaks the room into pieces too small, one after another from both
/// ends. In a memory of one bank one after another. The blocks' bytes together must fit the region; they and its ends
/// are multiples of `unit`, and so are the places.
void place_in_banks(const Memory& memory, const Region& region, std::int64_t unit, const Mapping& mapping,
                    LaidFrom from, std::vector<PlacedBlock>& blocks);

}  // namespace accord
