#pragma once

#include "compiler/codelets/work.h"
#include "compiler/mapping/homes.h"
#include "compiler/mapping/plan.h"

namespace accord {

/// Work and the mapping that it is lowered by.
struct MappedWork {
  const Work& work;
  const Mapping& mapping;
};

/// Whether both are lowered to lists that differ in nothing but addresses off chip and the numbers that instructions
/// carry (`scalar_arguments`): of the same loops, accesses and operations, mapped alike, on tensors that lie alike.
/// Names, constants' values and where tensors begin off chip may differ. `homes` must be allocated.
bool lower_alike(const Network& network, const Homes& homes, const MappedWork& a, const MappedWork& b);

}  // namespace accord
