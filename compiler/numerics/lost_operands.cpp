#include "compiler/numerics/lost_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

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
constexpr std::array<std::string_view, 4> scaling = {"Mul", "Div", "Pow", "Sqrt"};

/// What comes of a small operand of a sum.
class Follower {
 public:
  Follower(const Network& network, const Uses& uses, ElementType storage, const Calibration& seen)
      : network_(network), uses_(uses), steps_(highest(storage)), seen_(seen) {}

  /// Whether values of the tensor as great as `size` count for what reads it.
  bool counts(TensorId id, double size) {
    if (id == no_tensor) return false;
    const auto [followed, first] = followed_.emplace(id, size);
    if (!first && size <= followed->second) return false;
    followed->second = size;
    return std::ranges::any_of(uses_.consumers[static_cast<std::size_t>(id)], [&](int reader) {
      return counts(network_.operators[static_cast<std::size_t>(reader)], id, size);
    });
  }

  bool is_lost(double size, TensorId in) const { return size < least_steps * largest_of(in) / steps_; }

 private:
  double largest_of(TensorId id) const { return seen_.largest[static_cast<std::size_t>(id)]; }

  /// What sums up great values and small ones makes values beside which the small ones are little; but of rows that
  /// have no great ones the operand is a part, and hardly anything would be left.
  bool fills_low_rows(TensorId id, double size) const {
    const auto low = seen_.low_rows.find(id);
    return low != seen_.low_rows.end() && is_lost(low->second, id) && size > low->second / least_steps;
  }

  bool counts(const Operator& reader, TensorId id, double size) {
    const auto is_one_of = [&](const auto& types) { return std::ranges::find(types, reader.type) != types.end(); };
    if (is_one_of(products)) return false;
    if (reduces_rows(reader)) return fills_low_rows(id, size);
    if (!carries(network_, reader) && !is_one_of(proportional)) return true;
    const bool scales = is_one_of(scaling);
    return std::ranges::any_of(reader.outputs, [&](TensorId y) {
      if (y == no_tensor) return false;
      const double now = scales && largest_of(id) > 0 ? size * largest_of(y) / largest_of(id) : size;
      return !is_lost(now, y) || counts(y, now);
    });
  }

  const Network& network_;
  const Uses& uses_;
  const double steps_;
  const Calibration& seen_;
  std::map<TensorId, double> followed_;  ///< with which sizes
};

}  // namespace

std::map<std::size_t, std::string> sums_that_lose_operands(const Network& network, ElementType storage,
                                                           const Calibration& seen) {
  std::map<std::size_t, std::string> result;
  const Uses uses(network);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    const TensorId y = op.outputs.empty() ? no_tensor : op.outputs[0];
    if ((op.type != "Add" && op.type != "Sub") || network.tensor(y).quantisation) continue;
    for (const TensorId id : op.inputs) {
      Follower follower(network, uses, storage, seen);
      const double greatest = seen.largest[static_cast<std::size_t>(id)];
      if (network.tensor(id).is_constant() || greatest == 0 || !follower.is_lost(greatest, y)) continue;
      if (!follower.counts(y, greatest)) continue;
      result.emplace(i, fmt::format("'{}', at most {:.3g}, would be lost in steps of {:.3g}", network.tensor(id).name,
                                    greatest, seen.largest[static_cast<std::size_t>(y)] / highest(storage)));
    }
  }
  return result;
}

}  // namespace accord::numerics
