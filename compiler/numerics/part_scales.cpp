#include "compiler/numerics/part_scales.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace accord::numerics {
namespace {

class PartScales {
 public:
  PartScales(const Network& network, const std::vector<PlannedOperator>& plan, const std::vector<double>& largest)
      : network_(network), plan_(plan), largest_(largest), uses_(network) {}

  std::set<Reading> run() {
    std::vector<Reading> parts = parts_of_coarse_groups();
    apart_.insert(parts.begin(), parts.end());
    // Parts of about the Concat's size first: they are what their groups are then like.
    std::ranges::stable_sort(parts, {}, [&](const Reading& part) {
      return largest_[static_cast<std::size_t>(whole_of(part))] / largest_[static_cast<std::size_t>(part.second)];
    });
    ScaleGroups groups(network_, plan_, apart_);
    for (const Reading& part : parts) {
      if (!lose_bits(groups, part) && groups.tie(part.second, whole_of(part))) apart_.erase(part);
    }
    for (;;) {
      const ScaleGroups settled(network_, plan_, apart_);
      if (settled.contradictions().empty()) return apart_;
      apart_.insert(settled.contradictions().begin(), settled.contradictions().end());
    }
  }

 private:
  TensorId whole_of(const Reading& part) const { return network_.operators[part.first].outputs[0]; }

  /// Of Concats in groups in which something is computed with a tensor that loses bits.
  std::vector<Reading> parts_of_coarse_groups() const {
    const ScaleGroups groups(network_, plan_);
    const std::vector<double> shared = groups.largest(largest_);
    std::set<std::size_t> coarse;
    for (std::size_t i = 0; i < largest_.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const double seen = shared[groups.of(id)] * groups.ratio(id);
      if (largest_[i] > 0 && std::isfinite(seen) && seen >= coarser * largest_[i] && is_computed_with(id))
        coarse.insert(groups.of(id));
    }
    std::vector<Reading> parts;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const Operator& op = network_.operators[i];
      if (plan_[i].role != Role::carry || op.type != "Concat") continue;
      for (const TensorId id : op.inputs)
        if (may_be_apart(id) && coarse.contains(groups.of(id))) parts.emplace_back(i, id);
    }
    return parts;
  }

  bool may_be_apart(TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    return !tensor.is_constant() && !tensor.quantisation && largest_[static_cast<std::size_t>(id)] > 0;
  }

  /// Whether what is computed with on one of the two sides would lose bits if part and whole had one scale.
  bool lose_bits(const ScaleGroups& groups, const Reading& part) const {
    const std::vector<double> shared = groups.largest(largest_);
    const auto largest_at = [&](TensorId id) { return shared[groups.of(id)] * groups.ratio(id); };
    const TensorId whole = whole_of(part);
    const double of_part = largest_at(part.second), of_whole = largest_at(whole);
    return (of_whole >= coarser * of_part && any_computed_with(groups, part.second)) ||
           (of_part >= coarser * of_whole && any_computed_with(groups, whole));
  }

  bool any_computed_with(const ScaleGroups& groups, TensorId of) const {
    for (std::size_t id = 0; id < largest_.size(); ++id) {
      if (groups.of(static_cast<TensorId>(id)) == groups.of(of) && is_computed_with(static_cast<TensorId>(id)))
        return true;
    }
    return false;
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

void read_apart(Network& network, const std::set<Reading>& readings) {
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    Operator op = std::move(network.operators[i]);
    for (auto reading = readings.lower_bound({i, 0}); reading != readings.end() && reading->first == i; ++reading) {
      const TensorId x = reading->second;
      const std::string name = network.tensor(x).name + ".part";
      const TensorId own = network.add({name, ElementType::fp32, network.tensor(x).shape, nullptr, std::nullopt});
      operators.push_back({network.tensor(own).name, "Clip", {x}, {own}, {{"min", -INFINITY}, {"max", INFINITY}}});
      std::ranges::replace(op.inputs, x, own);
    }
    operators.push_back(std::move(op));
  }
  network.operators = std::move(operators);
}

void give_parts_scales(Network& network, const std::vector<PlannedOperator>& plan, std::vector<double>& largest) {
  const std::set<Reading> apart = PartScales(network, plan, largest).run();
  read_apart(network, apart);
  for (const Reading& reading : apart) largest.push_back(largest[static_cast<std::size_t>(reading.second)]);
}

}  // namespace accord::numerics
