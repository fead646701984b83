#pragma once

#include <cstdint>

#include "compiler/codelets/work.h"
#include "compiler/mapping/homes.h"
#include "compiler/network/network.h"

namespace accord {

/// Bytes of the distinct elements that the access touches inside its tensor, in the network's type.
std::int64_t distinct_bytes(const Network& network, const Work& work, const Access& access);

/// The same for the operand where the work first writes or reads it, whatever form a mapping gives the work.
std::int64_t distinct_bytes(const Network& network, const Work& work, int operand);

/// Distinct bytes read from and written to off-chip memory; results between statements, and tensors whose homes lie on
/// chip, stay there.
struct CompulsoryTraffic {
  std::int64_t read = 0;
  std::int64_t before = 0;  ///< of `read`: what the main statement, or its initial values, need
  std::int64_t written = 0;
};

/// `main`: the main statement.
CompulsoryTraffic compulsory(const Network& network, const Work& work, const Homes& homes, int main);

}  // namespace accord
