#pragma once

#include <cstdint>
#include <string>

#include "compiler/codelets/work.h"

namespace accord::test {

/// A machine that does one tensor statement, drawn from the seed, as a covenant: a capability with any dims, each in
/// any of its operands; steps wired or free; operands in memories of their own or one, one or two transfers from
/// off-chip memory, held or not; movers with one to three dimensions; any sync.
std::string random_tensor_machine(std::uint64_t seed);

/// Work for the machine of the same seed: a statement of the capability's form over iterators of any roles and extents,
/// with windows, strides, padding and batches, its initial values and, on some, what finishes it.
struct RandomWork {
  std::string what;
  Network network;  ///< its tensors; one operator of no codelet stands for the statements
  Work work;
};
RandomWork random_tensor_work(std::uint64_t machine, std::uint64_t seed);

}  // namespace accord::test
