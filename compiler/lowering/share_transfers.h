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

/// Lists of divided work's parts, those that go the same steps woven into one, in which transfers of the same bytes to
/// several elements are one: a multicast, or what fills a place that they share. `together`: all are woven, as parts
/// that cannot load alone must be; throws an Error where some want other bytes than the rest.
std::vector<OpList> share_transfers(const Machine& machine, std::vector<OpList> lists, bool together);

}  // namespace accord
