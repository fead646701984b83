#include "compiler/numerics/part_scales.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "compiler/numerics/scale_groups.h"

namespace accord::numerics {
namespace {

class PartScales {
 public:
  PartScales(const Network& network, const std::vector<PlannedOperator>& plan, const std::vector<double>& largest)
      : network_(network), plan_(plan), largest_(largest), uses_(network) {}

  std::set<Reading> run() {
    std::vector<Reading> candidates;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const Operator& op = network_.operators[i];
      if (plan_[i].role != Role::carry || op.type != "Concat") continue;
      for (const TensorId id : op.inputs)
        if (may_be_apart(id)) candidates.emplace_back(i, id);
    }
    for (;;) {
      const ScaleGroups groups(network_, plan_, apart_);
      if (groups.contradictions().empty()) break;
      apart_.insert(groups.contradictions().begin(), groups.contradictions().end());
    }
    while (const auto next = most_coarse(candidates)) apart_.insert(*next);
    return apart_;
  }

 private:
  bool may_be_apart(TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    return !tensor.is_constant() && !tensor.quantisation && largest_[static_cast<std::size_t>(id)] > 0;
  }

  /// The reading whose tensor would gain most by a scale of its own.
  std::optional<Reading> most_coarse(const std::vector<Reading>& candidates) const {
    const ScaleGroups groups(network_, plan_, apart_);
    const std::vector<double> together = groups.largest(largest_);
    std::optional<Reading> found;
    double most = 0;
    for (const Reading& reading : candidates) {
      const auto id = static_cast<std::size_t>(reading.second);
      const double shared = together[groups.of(reading.second)] * groups.ratio(reading.second);
      if (apart_.contains(reading) || shared < coarser * largest_[id] || std::isinf(shared)) continue;
      const double gain = shared / alone(reading);
      if (gain < coarser || gain <= most) continue;
      found = reading;
      most = gain;
    }
    return found;
  }

  /// The greatest value of the group that the tensor would then be in; infinite where nothing would see a difference.
  double alone(const Reading& reading) const {
    auto apart = apart_;
    apart.insert(reading);
    const ScaleGroups groups(network_, plan_, apart);
    const std::size_t own = groups.of(reading.second);
    for (std::size_t id = 0; id < largest_.size(); ++id) {
      if (groups.of(static_cast<TensorId>(id)) == own && is_computed_with(static_cast<TensorId>(id)))
        return groups.largest(largest_)[own] * groups.ratio(reading.second);
    }
    return INFINITY;
  }

  bool is_computed_with(TensorId id) const {
    const auto& readers = uses_.consumers[static_cast<std::size_t>(id)];
    const auto computes = [&](int op) {
      const Role role = plan_[static_cast<std::size_t>(op)].role;
      return role != Role::carry && role != Role::rescale;
    };
    return uses_.is_output[static_cast<std::size_t>(id)] || std::ranges::any_of(readers, computes);
  }

  const Network& network_;
  const std::vector<PlannedOperator>& plan_;
  const std::vector<double>& largest_;
  const Uses uses_;
  std::set<Reading> apart_;
};

}  // namespace

void give_parts_scales(Network& network, const std::vector<PlannedOperator>& plan, std::vector<double>& largest) {
  const std::set<Reading> apart = PartScales(network, plan, largest).run();
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    Operator op = std::move(network.operators[i]);
    for (auto reading = apart.lower_bound({i, 0}); reading != apart.end() && reading->first == i; ++reading) {
      const TensorId part = reading->second;
      const std::string name = network.tensor(part).name + ".part";
      const TensorId own = network.add({name, ElementType::fp32, network.tensor(part).shape, nullptr, std::nullopt});
      largest.push_back(largest[static_cast<std::size_t>(part)]);
      operators.push_back({network.tensor(own).name, "Clip", {part}, {own}, {{"min", -INFINITY}, {"max", INFINITY}}});
      std::ranges::replace(op.inputs, part, own);
    }
    operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

}  // namespace accord::numerics
