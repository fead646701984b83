#pragma once

#include <vector>

#include "compiler/lowering/operation.h"
#include "compiler/mapping/candidates.h"

namespace accord {

/// Appends one list's operation to another, in which the list's buffers have these numbers.
LowOp& take(OpList& to, const OpList& from, std::size_t at, const std::vector<int>& buffers);

/// Whether a part of divided work gets tiles that it cannot load alone: nothing but a multicast brings them, or others
/// have them in the same place.
bool needs_others(const Mapping& part);

/// Lists of divided work's parts woven into one, in which loads of the same bytes by several are one transfer: a
/// multicast, or what fills a place that they share. Throws an Error where parts that cannot load alone want other
/// bytes than the rest.
OpList share_transfers(const Machine& machine, const std::vector<OpList>& lists);

}  // namespace accord
