#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/mapping/plan.h"

namespace accord {

/// A tensor that is kept in an on-chip memory from the slice that makes it to the last one that reads it.
struct KeptTensor {
  int memory = -1;
  std::int64_t bytes = 0;
  int birth = 0;  ///< slice
  int death = 0;  ///< last slice that reads it
  std::int64_t address = -1;
};

/// Gives all tensors addresses, from both ends of their memories, so that what is left for tiles stays in one piece.
/// Returns, per slice, the largest free region of each memory that keeps something then; nothing where it does not fit.
/// Addresses are multiples of the memory's word.
std::vector<std::map<int, Region>> place_kept(const Architecture& architecture, std::vector<KeptTensor>& tensors,
                                              int slices);

}  // namespace accord
