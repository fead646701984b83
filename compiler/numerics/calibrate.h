#pragma once

#include <vector>

#include "compiler/network/network.h"
#include "compiler/network/values.h"

namespace accord::numerics {

/// Greatest magnitude of every fp32 tensor (constants included), by tensor id, over runs of the float reference.
std::vector<double> calibrate(const Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
