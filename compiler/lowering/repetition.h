#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/lowering/address_ranges.h"
#include "compiler/lowering/operation.h"

namespace accord {

/// A place in a list.
struct ListMark {
  std::size_t ops = 0;
  std::size_t values = 0;
  std::size_t loops = 0;
};

inline ListMark mark(const OpList& list) { return {list.ops.size(), list.values.size(), list.loops.size()}; }

/// How the operations from one place on are those from a second on, a turn earlier.
struct Repetition {
  std::vector<std::size_t> before;   ///< operations that only the first ones have, and that may go before all others
  std::size_t first = 0;             ///< the second ones
  std::vector<std::int64_t> deltas;  ///< per value of the second ones: growth from the first
};

/// Compares the operations [first, second), with the loops among them, with those from `second` to the end of the list:
/// the latter must all be among the former, in their order; what the former have besides must not touch what an earlier
/// one of them does. Nothing where that is not so.
std::optional<Repetition> repeat(const OpList& list, ListMark first, ListMark second, const AddressRanges& ranges);

/// Replaces all from `first` on by what goes before and a loop of so many turns.
void apply(OpList& list, ListMark first, ListMark second, const Repetition& repetition, std::int64_t turns);

}  // namespace accord
