#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/tensor/statement.h"
#include "compiler/network/network.h"

namespace accord::numerics {

/// Finds values for the parameters of a machine's requantisation so that expression(x) is within one unit of
/// clamp(x * multiplier, lo, hi); whether it is gets checked by evaluating the expression. Those come first with which
/// no operation of it overflows at any sum that can occur.
/// Parameters are a scale alone, or mult and shift (Numerics::Role). One of these two may be absent: powers of two
/// alone, or a shift that the expression states.
class Requantiser {
 public:
  /// Throws Error when a parameter's meaning is not known.
  explicit Requantiser(const Numerics& numerics);

  /// Whether channels may have multipliers of their own.
  bool per_channel() const;

  /// Multipliers must be powers of two: there is a shift, and nothing else.
  bool powers_of_two() const;

  /// Constants for the parameters in the covenant's order: rank 1 with one element per channel where the covenant says
  /// per channel, else rank 0. `multipliers`: one, or one for each of the channels. `bound` is the greatest |x| that
  /// can occur. Throws Error naming the requantisation when no values do.
  std::vector<Tensor> solve(const std::vector<double>& multipliers, std::int64_t channels, double bound, double lo,
                            double hi, const std::string& tensor_name);

  /// By how much results are off on average, their rounding set aside, where they are greatest: in units of the result;
  /// infinite where no values of the parameters do. Arguments as of `solve`.
  double bias(const std::vector<double>& multipliers, double bound, double lo, double hi);

  /// What overflows in tensors that `solve` found no better values for, in one line; empty: nothing.
  std::string overflows() const;

  /// "mult,shift"
  std::string parameter_names() const;

 private:
  /// How `mult` and `shift` encode a multiplier m: mult = round(m * 2^e), shift = sign * (e - offset). Without a
  /// `shift` e is the offset.
  struct Encoding {
    int bits = 0;
    int offset = 0;
    int sign = 1;
  };
  struct Solution {
    std::vector<std::vector<double>> values;  ///< per parameter, one or one per channel
    double overflows = 0;                     ///< share of the samples at which an operation overflows
  };

  /// What is asked for, and the expression that must do it.
  struct Wanted {
    const std::vector<double>& multipliers;
    double bound, lo, hi;
    TensorProgram program;
    double at(std::size_t channel, double x) const { return std::clamp(x * multipliers[channel], lo, hi); }
  };

  Solution encode(const std::vector<double>& multipliers, const Encoding& encoding) const;
  std::vector<double> reads(const Solution& solution, const Wanted& wanted, std::size_t channel, double x) const;
  template <typename Visit>
  bool each_sample(const Solution& solution, const Wanted& wanted, Visit visit) const;
  bool fits(const Solution& solution) const;
  bool holds(const Solution& solution, const Wanted& wanted) const;
  double mean_error(const Solution& solution, const Wanted& wanted, std::size_t channel, double end) const;
  Wanted wanted(const std::vector<double>& multipliers, double bound, double lo, double hi) const;
  std::optional<Solution> search(const Wanted& wanted);
  double got(const Wanted& wanted, const std::vector<double>& values) const;
  std::string cause(const Wanted& wanted);
  double share_that_overflows(const Solution& solution, const Wanted& wanted) const;
  std::string first_overflow(const Solution& solution, const Wanted& wanted) const;
  std::string coarseness(const Wanted& wanted) const;
  int find(Numerics::Role role) const;

  const Numerics& numerics_;
  int scale_ = -1, mult_ = -1, shift_ = -1;  ///< indices of the parameters
  std::optional<Encoding> last_;             ///< what worked before: its offset and sign are tried first
  double unavoidable_ = 0;                   ///< overflows of the best that all encodings gave before
  std::vector<std::string> overflows_;       ///< tensor and operation
};

}  // namespace accord::numerics
