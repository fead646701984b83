#pragma once

#include "compiler/codelets/work.h"
#include "compiler/mapping/plan.h"
#include "compiler/network/network.h"

namespace accord {

/// Whether a unit reads a constant where it lies off chip, without a mover that would bring its tiles.
bool reads_constant_at_home(const Network& network, const Work& work, const Use& use);

}  // namespace accord
