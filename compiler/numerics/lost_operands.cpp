#include "compiler/numerics/lost_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "compiler/numerics/roles.h"

namespace accord::numerics {
namespace {

constexpr double least_steps = 8;

/// Their results are of great values and small ones together.
constexpr std::array<std::string_view, 11> mixing = {"Conv",
                                                     "Gemm",
                                                     "MatMul",
                                                     "AveragePool",
                                                     "ReduceMean",
                                                     "ReduceSum",
                                                     "ReduceSumSquare",
                                                     "LayerNormalization",
                                                     "InstanceNormalization",
                                                     "GroupNormalization",
                                                     "RMSNormalization"};

/// What is greater than other values in their input still is, by about as much, unless they cut it off.
constexpr std::array<std::string_view, 20> proportional = {
    "Add",  "Sub",  "Mul",  "Div",       "Neg",   "Abs",       "Pow",  "Sqrt", "Max",  "Min",
    "Relu", "Clip", "Gelu", "LeakyRelu", "PRelu", "HardSwish", "Mish", "Elu",  "Selu", "Where"};

/// What comes of a small operand of a sum.
class Follower {
 public:
  Follower(const Network& network, const Uses& uses, ElementType storage, const std::vector<double>& largest)
      : network_(network), uses_(uses), steps_(highest(storage)), largest_(largest) {}

  /// Whether values of the tensor as great as `size` count for what reads it.
  bool counts(TensorId id, double size) {
    if (id == no_tensor || !seen_.insert(id).second) return false;
    return std::ranges::any_of(uses_.consumers[static_cast<std::size_t>(id)], [&](int reader) {
      return counts(network_.operators[static_cast<std::size_t>(reader)], id, size);
    });
  }

  bool is_lost(double size, TensorId in) const { return size < least_steps * largest_of(in) / steps_; }

 private:
  double largest_of(TensorId id) const { return largest_[static_cast<std::size_t>(id)]; }

  bool counts(const Operator& reader, TensorId id, double size) {
    const auto is_one_of = [&](const auto& types) { return std::ranges::find(types, reader.type) != types.end(); };
    if (is_one_of(mixing)) return false;
    const bool moves = carries(network_, reader);
    if (!moves && !is_one_of(proportional)) return true;
    const bool scales = reader.type == "Mul" || reader.type == "Div" || reader.type == "Pow" || reader.type == "Sqrt";
    return std::ranges::any_of(reader.outputs, [&](TensorId y) {
      if (y == no_tensor) return false;
      const double now = scales && largest_of(id) > 0 ? size * largest_of(y) / largest_of(id) : size;
      return !is_lost(now, y) || counts(y, now);
    });
  }

  const Network& network_;
  const Uses& uses_;
  const double steps_;
  const std::vector<double>& largest_;
  std::set<TensorId> seen_;
};

}  // namespace

std::map<std::size_t, std::string> sums_that_lose_operands(const Network& network, ElementType storage,
                                                           const std::vector<double>& largest) {
  std::map<std::size_t, std::string> result;
  const Uses uses(network);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    const TensorId y = op.outputs.empty() ? no_tensor : op.outputs[0];
    if ((op.type != "Add" && op.type != "Sub") || network.tensor(y).quantisation) continue;
    for (const TensorId id : op.inputs) {
      Follower follower(network, uses, storage, largest);
      const double greatest = largest[static_cast<std::size_t>(id)];
      if (network.tensor(id).is_constant() || greatest == 0 || !follower.is_lost(greatest, y)) continue;
      if (!follower.counts(y, greatest)) continue;
      result.emplace(i, fmt::format("'{}', at most {:.3g}, would be lost in steps of {:.3g}", network.tensor(id).name,
                                    greatest, largest[static_cast<std::size_t>(y)] / highest(storage)));
    }
  }
  return result;
}

}  // namespace accord::numerics
