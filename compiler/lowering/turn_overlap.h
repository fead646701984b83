#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/lowering/list_copy.h"

namespace accord {

/// How turns of a loop stand side by side: turn i's item x lies in block i + stage[x], blocks one after another, items
/// of a block in `order`.
struct TurnOrder {
  std::vector<std::size_t> order;   ///< items of the body
  std::vector<std::int64_t> stage;  ///< per item, from 0
  std::int64_t interval = 1;        ///< predicted cycles from block to block
};

/// Writes the loop so: blocks in which all stages occur are the turns of a loop, those before and after plain
/// operations. `item` copies an item of a turn.
void lay_out_turns(const LowLoop& loop, const TurnOrder& order, ListCopy& copy,
                   const std::function<void(std::size_t item, std::int64_t turn)>& item);

/// Overlaps the turns of a loop that has others in it: several turns are scheduled one after another as plain
/// operations would be, and where one turn's share of that schedule holds each item once, it is the order of all
/// (perfect pipelining; Aiken and Nicolau, 1988). Where none does, or moving addresses might meet, turns do not
/// overlap; operations of one turn are scheduled all the same. `loops`: the loop and those in it.
void overlap_turns(const OpList& list, LoopSpan loops, const Architecture& architecture, ListCopy& copy);

}  // namespace accord
