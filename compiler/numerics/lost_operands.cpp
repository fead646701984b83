#include "compiler/numerics/lost_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "compiler/network/constants.h"
#include "compiler/numerics/reduced_rows.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

constexpr double least_steps = 8;

/// Done in integers they read what is rounded to the same steps, whatever makes it.
constexpr std::array<std::string_view, 3> products = {"Conv", "Gemm", "MatMul"};

/// What is greater than other values in their input still is, by about as much, unless they cut it off.
constexpr std::array<std::string_view, 18> proportional = {"Add",   "Sub",       "Mul", "Div",  "Neg",   "Abs",
                                                           "Pow",   "Sqrt",      "Max", "Min",  "Clip",  "LeakyRelu",
                                                           "PRelu", "HardSwish", "Elu", "Selu", "Where", "AveragePool"};

/// Those by which values grow or shrink.
constexpr std::array<std::string_view, 5> scaling = {"Mul", "Div", "Pow", "Sqrt", "AveragePool"};

/// What is left of a small operand of a sum in a tensor that comes of it.
struct Trace {
  double size = 0;   ///< greatest magnitude
  double power = 1;  ///< of the sum that the tensor's values are
};

/// What comes of a small operand of a sum.
class Follower {
 public:
  Follower(const Network& network, ElementType storage, const Calibration& seen)
      : network_(network), steps_(highest(storage)), seen_(seen) {}

  /// Whether values as great as `size` in the sum's result count for what reads it.
  bool counts(std::size_t sum, double size) const {
    std::map<TensorId, Trace> traces = {{network_.operators[sum].outputs[0], {size}}};
    for (std::size_t i = sum + 1; i < network_.operators.size(); ++i) {
      const Operator& reader = network_.operators[i];
      for (const TensorId id : reader.inputs) {
        const auto found = traces.find(id);
        if (found != traces.end() && counts(reader, id, found->second, traces)) return true;
      }
    }
    return false;
  }

  bool is_lost(double size, TensorId in) const { return size < least_steps * largest_of(in) / steps_; }

 private:
  double largest_of(TensorId id) const { return seen_.largest[static_cast<std::size_t>(id)]; }

  /// What sums up great values and small ones makes values beside which the small ones are little; but of rows that
  /// have no great ones the operand is a part, and hardly anything would be left. By shares of the greatest value.
  bool fills_low_rows(TensorId id, const Trace& trace) const {
    const auto low = seen_.low_rows.find(id);
    if (low == seen_.low_rows.end() || largest_of(id) == 0) return false;
    const double row = std::pow(low->second / largest_of(id), 1 / trace.power);
    return row < least_steps / steps_ && trace.size / largest_of(id) > row / least_steps;
  }

  /// Whether it counts for the reader; else its results' traces are noted.
  bool counts(const Operator& reader, TensorId id, const Trace& trace, std::map<TensorId, Trace>& traces) const {
    const auto is_one_of = [&](const auto& types) { return std::ranges::find(types, reader.type) != types.end(); };
    if (is_one_of(products)) return false;
    if (reduces_rows(network_, reader)) return fills_low_rows(id, trace);
    if (!carries(network_, reader) && !is_one_of(proportional)) return true;
    const bool scales = is_one_of(scaling);
    for (const TensorId y : reader.outputs) {
      if (y == no_tensor) continue;
      const double now = scales && largest_of(id) > 0 ? trace.size * largest_of(y) / largest_of(id) : trace.size;
      if (!is_lost(now, y)) return true;
      Trace& known = traces[y];
      if (now > known.size) known = {now, trace.power * power_of(reader)};
    }
    return false;
  }

  /// To which power of its first input the operator raises it.
  double power_of(const Operator& op) const {
    if (op.type == "Sqrt") return 0.5;
    if (op.type == "Mul") return op.inputs[0] == op.inputs[1] ? 2 : 1;
    if (op.type != "Pow") return 1;
    const Tensor& exponent = network_.tensor(op.inputs[1]);
    if (!exponent.is_constant() || element_count(exponent.shape) != 1) return 1;
    const double power = numbers_of(exponent)[0];
    return power > 0 ? power : 1;
  }

  const Network& network_;
  const double steps_;
  const Calibration& seen_;
};

}  // namespace

std::map<std::size_t, std::string> sums_that_lose_operands(const Network& network, ElementType storage,
                                                           const Calibration& seen) {
  std::map<std::size_t, std::string> result;
  const Follower follower(network, storage, seen);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    const TensorId y = op.outputs.empty() ? no_tensor : op.outputs[0];
    if ((op.type != "Add" && op.type != "Sub") || network.tensor(y).quantisation) continue;
    for (const TensorId id : op.inputs) {
      const double greatest = seen.largest[static_cast<std::size_t>(id)];
      if (network.tensor(id).is_constant() || greatest == 0 || !follower.is_lost(greatest, y)) continue;
      if (!follower.counts(i, greatest)) continue;
      result.emplace(i, fmt::format("'{}', at most {:.3g}, would be lost in steps of {:.3g}", network.tensor(id).name,
                                    greatest, seen.largest[static_cast<std::size_t>(y)] / highest(storage)));
    }
  }
  return result;
}

}  // namespace accord::numerics
