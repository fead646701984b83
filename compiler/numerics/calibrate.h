#pragma once

#include <map>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// What runs of the float reference have shown of every fp32 tensor, by tensor id.
struct Calibration {
  std::vector<double> largest;          ///< greatest magnitude, constants' included
  std::map<TensorId, double> low_rows;  ///< the least `low_row` of what an operator reads and sums up
};
Calibration calibrate(const Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
