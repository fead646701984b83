#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "compiler/network/network.h"
#include "compiler/numerics/roles.h"

namespace accord::numerics {

/// An operator's reading of one of its inputs: index of the operator, and the tensor.
using Reading = std::pair<std::size_t, TensorId>;

/// Which tensors share a scale, or have scales of a fixed ratio: those that an operator carries over unchanged, inputs
/// of products by one constant, and what a number multiplies, whose integers stay as they are.
class ScaleGroups {
 public:
  /// `apart`: readings that do not tie what they read to what the operator gives.
  ScaleGroups(const Network& network, const std::vector<PlannedOperator>& plan, const std::set<Reading>& apart = {});

  /// From now on the two have one scale. False, and nothing changed: they are tied to each other in another ratio.
  bool tie(TensorId a, TensorId b);

  /// Equal for tensors of one group.
  std::size_t of(TensorId id) const { return group_[static_cast<std::size_t>(id)]; }

  /// The tensor's scale over that of its group.
  double ratio(TensorId id) const { return ratio_[static_cast<std::size_t>(id)]; }

  /// Multiplications by numbers between tensors that other operators tie to each other in another ratio.
  const std::set<Reading>& contradictions() const { return contradictions_; }

  /// The greatest of the tensors' values over their ratios, by group.
  std::vector<double> largest(const std::vector<double>& largest_of_tensor) const;

 private:
  std::size_t find(TensorId id);
  void settle();
  bool join(TensorId a, TensorId b, double ratio = 1);
  void join_inputs_of_shared_weights(const Network& network);

  std::vector<std::size_t> group_;  ///< while they are joined, one closer to the group's first
  std::vector<double> ratio_;       ///< to the scale of that one
  std::set<Reading> contradictions_;
};

}  // namespace accord::numerics
