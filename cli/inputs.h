#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// A tensor that a program or a network wants.
struct TensorSlot {
  std::string name;
  ElementType type{};
  Shape shape;
  std::int64_t most = 16;  ///< seeded integers lie below: as it may index so many, and i8 sums have room
};

/// Of these inputs or outputs. Seeded inputs will be indices of all that they look up.
std::vector<TensorSlot> slots_of(const Network& network, const std::vector<TensorId>& ids);

/// Reads `NAME=FILE.npy`, or `FILE.npy` where there is one slot only. Throws Error for an unknown name, a shape that
/// does not fit (leading dimensions of 1 may be missing or added) and an integer file for a float slot's type.
Values read_tensors(const std::vector<std::string>& assignments, const std::vector<TensorSlot>& slots);

/// Adds a seeded value for every slot that has none: normal for floats, uniform over a fitting range for integers.
void fill_seeded(Values& values, const std::vector<TensorSlot>& slots, std::uint64_t seed);

/// Such a value for every input.
Values seeded_inputs_of(const Network& network, std::uint64_t seed);

}  // namespace accord
