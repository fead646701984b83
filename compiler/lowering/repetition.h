#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/lowering/operation.h"

namespace accord {

/// A place in a list.
struct ListMark {
  std::size_t ops = 0;
  std::size_t values = 0;
  std::size_t loops = 0;
};

inline ListMark mark(const OpList& list) { return {list.ops.size(), list.values.size(), list.loops.size()}; }

/// Growth of each argument value from the operations [first, second) to those from `second` on: what a loop over the
/// former must add per turn. Nothing where the two runs, with the loops in them, are not alike.
std::optional<std::vector<std::int64_t>> steps_between(const OpList& list, ListMark first, ListMark second);

}  // namespace accord
