#pragma once

#include "compiler/network/operator_list.h"

namespace accord {

/// Which sequences of a batch have each of the steps 0..steps-1: a u8 tensor [batch, 1] of 0 and 1 per step, no_tensor
/// where all are known to have it. `lengths` is [batch] of i32 or i64; where it is computed the masks are, too.
std::vector<TensorId> sequences_present(Network& network, OperatorList& list, TensorId lengths, std::int64_t steps);

}  // namespace accord
