#pragma once

#include <vector>

#include "compiler/lowering/lower.h"
#include "compiler/mapping/split.h"

namespace accord {

/// Lowers a mapped layer whose work may be divided: each part for its own element, all in one list. Parts depend on
/// nothing of each other's; their operations alternate, so that a controller that dispatches in order serves all.
/// `machine` predicts the operations' times. Without `off_chip` as `lower` does.
OpList lower_parts(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const std::vector<Mapping>& parts, std::vector<OffChip>& off_chip);

}  // namespace accord
