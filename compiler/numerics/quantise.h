#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"
#include "compiler/numerics/added_sums.h"

namespace accord {

/// What the quantiser did.
struct QuantiseReport {
  std::map<std::string, double> largest;  ///< greatest magnitude seen in calibration, per tensor
  int fused_additions = 0;                ///< residual additions done in the accumulator of a convolution
};

/// Post-training quantisation of a canonical network (docs/operators.md, form 2) to the machine's integers (form 3).
///
/// Symmetric, but for activations that the model gives a zero point; weights per output channel where the
/// requantisation has a parameter per channel, else per tensor. Activations get the greatest magnitude that the float
/// reference shows on `calibration_inputs` (without any: two sets of seeded normal values). Tensors that an operator
/// passes on unchanged (Concat, MaxPool, Reshape, ...) share a scale. Accumulators provably do not overflow. Network
/// inputs and outputs stay fp32 and keep their names; of the others, the storage-type tensor keeps the name, its
/// accumulator is called NAME.acc. A mean, sum or clip whose scale the requantisation's parameters cannot express stays
/// in float, with that reason (`Operator::in_float`); for a product that is an Error naming the requantisation. Throws
/// Error too where the storage or weight type is unsigned. `sums`: what the machine adds to a product in its
/// accumulator (`added_sums`); where that is multiplied by one number, the product's channels have one scale. With
/// `capable`, whether the machine does each operator of a network, what stays in float and the machine does not do
/// becomes such that it does, where there are (`equivalents.h`), in float.
Network quantise(Network canonical, const Numerics& numerics, const std::vector<Values>& calibration_inputs,
                 QuantiseReport* report = nullptr, AddedSums sums = AddedSums::per_channel,
                 const std::function<bool(const Network&)>& capable = {});

/// Seeded normal values for every fp32 input; integer inputs are 0.
Values seeded_inputs(const Network& network, unsigned seed);

}  // namespace accord
