#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/numerics/stored_tensors.h"

namespace accord::numerics {

/// Integers of one product's weights, in the numeric network.
struct StoredWeights {
  TensorId weights = no_tensor, bias = no_tensor, multiples = no_tensor;
  std::vector<double> scale;  ///< of the weights, per output channel; empty if the addend cannot be accumulated
  double bound = 0;           ///< greatest accumulator magnitude, with what zero points add
  std::vector<std::int64_t> bias_values{};  ///< per output channel; empty if there is none
  std::vector<std::int64_t> sums{};         ///< of each output channel's weights; empty where nobody asks
};

/// How a machine scales weights.
struct WeightScaling {
  bool per_channel = true;
  bool powers_of_two = false;
  bool scalar_sums = false;  ///< one number multiplies what is accumulated on top, for all channels
};

/// Weights and biases as integers. Operators that multiply by one constant, from and onto the same scales, share them.
class WeightStore {
 public:
  /// All must outlive it.
  WeightStore(Rewrite& rewrite, StoredTensors& tensors, const Numerics& numerics, const WeightScaling& scaling)
      : rewrite_(rewrite), tensors_(tensors), numerics_(numerics), scaling_(scaling), uses_(rewrite.from()) {}

  /// Of a Conv or Gemm on whose sums `addend`, or nothing, will be accumulated. `offset`: what the zero points of that
  /// and of the result add to the results.
  const StoredWeights& of(const Operator& op, TensorId addend, double offset);
  /// Of weights that are not the model's own integers, and of those whose steps are greater than their values ask for.
  void warn_of_losses();

 private:
  double greatest_factor(TensorId weights) const;
  IntegerWeights integer_weights(const Operator& op, TensorId addend, double offset) const;
  StoredWeights store(const Operator& op, const IntegerWeights& integers);

  Rewrite& rewrite_;
  StoredTensors& tensors_;
  const Numerics& numerics_;
  WeightScaling scaling_;
  Uses uses_;
  std::map<std::tuple<TensorId, TensorId, float, double, float, double, double>, StoredWeights> stored_;
  std::vector<std::string> rounded_anew_;                  ///< names of weights
  std::vector<std::pair<std::string, double>> coarsened_;  ///< names of weights, and by how much
};

}  // namespace accord::numerics
