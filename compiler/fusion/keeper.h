#pragma once

#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// The on-chip memory that can keep a tensor between its producer and its readers.
struct Keeper {
  int memory = -1;         ///< -1: none can
  std::int64_t pitch = 1;  ///< what addresses in the tensor are multiples of
};

/// One layer's assignments, best first, of which at least one must reach the tensor.
struct TensorUser {
  const Work* work = nullptr;
  const std::vector<Mapping>* assignments = nullptr;
};

/// Whether the mapping, as it is or with other ways, gets the tensor from there or brings it there.
bool reaches(const Machine& machine, const Work& work, TensorId tensor, const Mapping& mapping, int memory);

/// The memory with the fewest transfers between it and the units, and of those the largest. `margin`: off-chip memory
/// must reach it in one transfer, which fills the margin.
Keeper keeper_of(const Machine& machine, TensorId tensor, const std::vector<TensorUser>& users, bool margin);

}  // namespace accord
