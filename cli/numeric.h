#pragma once

#include "archdsl/graph/architecture.h"
#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

/// The canonical network in the machine's number types: quantised with ranges calibrated on `inputs`, or converted to
/// its floats.
Network to_numeric(const Architecture& architecture, Network canonical, const Values& inputs);

}  // namespace accord
