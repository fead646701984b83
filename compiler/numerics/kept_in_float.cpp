#include "compiler/numerics/kept_in_float.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "compiler/network/constants.h"
#include "compiler/numerics/lost_operands.h"
#include "compiler/numerics/requantiser.h"
#include "compiler/numerics/scales.h"
#include "compiler/numerics/stored_ranges.h"
#include "compiler/numerics/sums.h"

namespace accord::numerics {
namespace {

/// Sums of activations, and of products of them, that no accumulator of the machine can hold.
InFloat overflowing_sums(const Network& network, const Numerics& numerics, const std::vector<ActivationScale>& scales,
                         const std::vector<StoredRange>& ranges) {
  InFloat result;
  const auto range = [&](TensorId id) { return ranges[static_cast<std::size_t>(id)]; };
  const double most = greatest_count(numerics.accumulator);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    if (op.type == "MatMul") {
      const std::int64_t terms = network.tensor(op.inputs[0]).shape.back();
      if (greatest_sum(terms, range(op.inputs[0]), range(op.inputs[1])) > most)
        result.emplace(i, overflow_error(terms, "products of ", numerics));
    } else if (op.type == "AveragePool") {
      const ActivationScale &x = scales[static_cast<std::size_t>(op.inputs[0])],
                            &y = scales[static_cast<std::size_t>(op.outputs[0])];
      const std::int64_t terms = constant_pool_count(network, op);
      const double zeros = std::abs(x.zero) + std::abs(y.zero) * double{y.scale} / double{x.scale};
      if (static_cast<double>(terms) * (range(op.inputs[0]).reach() + zeros) > most)
        result.emplace(i, overflow_error(terms, "", numerics));
    }
  }
  return result;
}

/// Masks add an infinity, which no integer stands for.
void keep_infinities_in_float(const Network& network, const std::vector<double>& largest, InFloat& in_float) {
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    auto ids = op.inputs;
    ids.insert(ids.end(), op.outputs.begin(), op.outputs.end());
    const auto infinite = std::ranges::find_if(
        ids, [&](TensorId id) { return id != no_tensor && std::isinf(largest[static_cast<std::size_t>(id)]); });
    if (infinite == ids.end()) continue;
    in_float.emplace(i,
                     fmt::format("'{}' has values that are infinite or not a number", network.tensor(*infinite).name));
  }
}

/// Which power of another tensor each is; 1 of what is none.
class Powers {
 public:
  explicit Powers(const Network& network) : network_(network) {}

  double of(TensorId id) const {
    const auto known = powers_.find(id);
    return known == powers_.end() ? 1 : known->second;
  }

  void note(const Operator& op) {
    const double power = power_of(op);
    if (power != 1) powers_[op.outputs[0]] = power;
  }

 private:
  double power_of(const Operator& op) const {
    if (op.type == "Clip" || op.type == "Abs") return of(op.inputs[0]);
    if (op.type != "Pow" && op.type != "Mul") return 1;
    if (op.inputs[0] == op.inputs[1]) return op.type == "Mul" ? 2 * of(op.inputs[0]) : 1;
    if (!network_.tensor(op.inputs[1]).is_constant()) return 1;
    if (op.type == "Mul") return of(op.inputs[0]);
    const auto exponents = numbers_of(network_.tensor(op.inputs[1]));
    return exponents.empty() ? 1 : *std::ranges::max_element(exponents) * of(op.inputs[0]);
  }

  const Network& network_;
  std::map<TensorId, double> powers_;
};

/// Means of steep powers (an LpPool's): of the k-th power's greatest value, n integers tell none apart that are less
/// than n^(-1/k) times the greatest that it is of; for 127 and 3 a fifth.
void keep_powers_in_float(const Network& network, InFloat& in_float) {
  Powers powers(network);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    powers.note(op);
    if (op.type != "AveragePool" || powers.of(op.inputs[0]) <= 2) continue;
    in_float.emplace(i, fmt::format("integers tell few of the values of x^{} apart", powers.of(op.inputs[0])));
  }
}

}  // namespace

std::vector<PlannedOperator> first_plan(const Network& network, const Numerics& numerics, const InFloat& in_float,
                                        AddedSums sums) {
  return plan_roles(network, true, !Requantiser(numerics).powers_of_two(), sums != AddedSums::none, in_float);
}

InFloat kept_in_float(const Network& network, const Numerics& numerics, const Calibration& seen,
                      const std::set<TensorId>& parts, AddedSums sums) {
  InFloat result;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    if (parts.contains(network.operators[i].outputs.front())) result.emplace(i, "what it is a part of is in float");
  }
  keep_infinities_in_float(network, seen.largest, result);
  keep_powers_in_float(network, result);
  result.merge(sums_that_lose_operands(network, numerics.storage, seen));
  const auto plan = first_plan(network, numerics, result, sums);
  const auto scales =
      activation_scales(network, plan, seen.largest, numerics.storage, Requantiser(numerics).powers_of_two());
  result.merge(overflowing_sums(network, numerics, scales, stored_ranges(network, plan, scales, numerics.storage)));
  return result;
}

}  // namespace accord::numerics
