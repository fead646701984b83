#pragma once

#include <vector>

#include "compiler/lowering/operation.h"
#include "compiler/mapping/candidates.h"

namespace accord {

/// Appends one list's operation to another, in which the list's buffers begin at `buffers`.
LowOp& take(OpList& to, const OpList& from, std::size_t at, int buffers);

/// Lists of divided work's parts, those that go the same steps woven into one, in which transfers of the same bytes
/// from off-chip memory to several elements are multicasts where the machine has them.
std::vector<OpList> share_transfers(const Machine& machine, std::vector<OpList> lists);

}  // namespace accord
