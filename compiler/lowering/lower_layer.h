#pragma once

#include <vector>

#include "compiler/lowering/lower.h"
#include "compiler/mapping/split.h"

namespace accord {

/// How parts of divided work come to a tile that several of them read.
enum class Reads {
  own,    ///< each by a transfer of its own; an Error where it cannot
  shared  ///< by multicasts, where the machine has them; equal transfers are told by addresses, so images must be made
};

/// Lowers a mapped layer, as it is to be scheduled: the parts of divided work each for its own element, the turns of
/// loops overlapped. Parts depend on nothing of each other's; their operations alternate, so that a controller that
/// dispatches in order serves all. `homes` and `off_chip` as `lower` has them.
OpList lower_layer(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping, std::vector<OffChip>& off_chip, Reads reads = Reads::own);

/// The same of parts of work, as `parts_of` gives them; `images`: of the layer, which has none yet.
OpList lower_parts(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const std::vector<Mapping>& parts, ConstantImages& images, std::vector<OffChip>& off_chip,
                   Reads reads, LaidFrom from);

}  // namespace accord
