#pragma once

#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Greatest magnitude of every fp32 tensor (constants included), by tensor id, over runs of the float reference.
std::vector<double> calibrate(const Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
