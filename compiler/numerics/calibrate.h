#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Shows `see` each input and result of runs of the float reference, in the order in which they come.
void observe(const Network& network, const std::vector<Values>& inputs,
             const std::function<void(TensorId, std::span<const std::byte>)>& see);

/// What runs of the float reference have shown of every fp32 tensor, by tensor id.
struct Calibration {
  std::vector<double> largest;          ///< greatest magnitude, constants' included
  std::map<TensorId, double> low_rows;  ///< the least `low_row` of what sums and means read
};
Calibration calibrate(const Network& network, const std::vector<Values>& inputs);

}  // namespace accord::numerics
