#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/numerics/roles.h"
#include "compiler/numerics/stored_weights.h"

namespace accord::numerics {

/// An accumulator on its way to the storage type.
struct Accumulator {
  TensorId id = no_tensor;
  std::vector<double> scale;  ///< one, or one per channel
  double bound = 0;           ///< greatest magnitude that can occur
  int axis = 0;               ///< that the scales belong to where there are several
};

/// What a requantisation makes of sums.
struct Requantised {
  TensorId y = no_tensor;
  double factor = 1;
};

/// Of so many products of integers from these ranges: its greatest magnitude.
double greatest_sum(std::int64_t terms, const StoredRange& a, const StoredRange& b);
/// Says that an accumulator cannot hold sums of so many terms, `of` storage values ("", "products of ").
std::string overflow_error(std::int64_t terms, std::string_view of, const Numerics& numerics);

/// The operators of a numeric network that sum up, each into an accumulator. What zero points of their inputs add to
/// the sums goes into a bias, as does what makes the requantised result's zero point of 0.
class Sums {
 public:
  /// All must outlive it.
  Sums(Rewrite& rewrite, StoredTensors& tensors, const Numerics& numerics, const WeightScaling& scaling)
      : rewrite_(rewrite),
        tensors_(tensors),
        numerics_(numerics),
        powers_of_two_(scaling.powers_of_two),
        weights_(rewrite, tensors, numerics, scaling) {}

  /// Conv, Gemm or MatMul into an accumulator, with `addend` accumulated on top. No id where the addend cannot be.
  Accumulator product(const Operator& op, const Requantised& result, TensorId addend);

  /// By how much results of an accumulator's requantisation are off on average, in units of the result; infinite where
  /// it cannot be.
  using Bias = std::function<double(const Accumulator&)>;

  /// Both operands of an Add or Sub as integer multiples of one scale.
  Accumulator sum(const Operator& op, const Requantised& result, const Bias& of);

  /// An AveragePool's sums.
  Accumulator average(const Operator& op, const Requantised& result);

  /// A Clip of its own: multiplied into the accumulator type, where a requantisation can bound it. By 1 but where that
  /// leaves a zero point between two integers.
  Accumulator clip(const Operator& op, const Requantised& result, const Bias& of);

  /// Says what the machine's types cost the weights.
  void warn_of_losses() { weights_.warn_of_losses(); }

 private:
  const Tensor& tensor(TensorId id) const { return rewrite_.from().tensor(id); }
  double zero_in_sums(const Requantised& result, double sum_scale) const;
  TensorId add_accumulator(const Tensor& like, const char* suffix, const Accumulator& sums);
  Accumulator variable_product(const Operator& op);
  Accumulator weighted_product(const Operator& op, const Requantised& result, TensorId addend);
  double offset_of(const Requantised& result, TensorId addend) const;
  std::vector<double> zeros_in_product(const Operator& op, const Accumulator& sums, const StoredWeights& stored,
                                       double offset) const;
  TensorId bias_with_zeros(const Operator& op, const StoredWeights& stored, const std::vector<double>& zeros);
  void widen(const Tensor& y, Accumulator& sums, double zeros) const;
  std::map<std::string, Attribute> padded_attributes(const Operator& op) const;
  Accumulator accumulate(const Tensor& y, const std::string& name, Accumulator start, TensorId addend,
                         TensorId multiples);
  double greatest_multiple() const;
  double bias_of(Accumulator sums, double zeros, const Bias& of) const;
  double best_multiple(const std::function<double(double)>& bias) const;
  struct Multiples;
  Multiples multiples(const Operator& op, const Requantised& result, double most) const;
  double rounding(const Operator& op, const Requantised& result, const Multiples& by) const;
  void start(Operator first, const Tensor& y, double zeros, Accumulator& sums);

  Rewrite& rewrite_;
  StoredTensors& tensors_;
  const Numerics& numerics_;
  bool powers_of_two_;
  WeightStore weights_;
};

}  // namespace accord::numerics
