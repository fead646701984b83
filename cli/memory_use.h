#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord {

/// What a program keeps in an off-chip memory, in bytes.
struct MemoryUse {
  std::string memory;
  std::int64_t capacity = 0;
  std::int64_t tensors = 0;        ///< bytes that belong to inputs, outputs or results of layers, each byte once
  std::int64_t tensors_apart = 0;  ///< what they would take if none shared memory: the sum of their ranges
  std::int64_t constants = 0;      ///< bytes of images: weights, biases, scales, margins other than 0
};

/// Of the off-chip memories that hold anything, in the covenant's order.
std::vector<MemoryUse> memory_use(const Architecture& architecture, const Program& program);

}  // namespace accord
