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

/// Which tensors share a scale: those that an operator carries over unchanged, and inputs of products by one constant.
class ScaleGroups {
 public:
  /// `apart`: readings that do not tie what they read to what the operator gives.
  ScaleGroups(const Network& network, const std::vector<PlannedOperator>& plan, const std::set<Reading>& apart = {});

  /// Equal for tensors of one group.
  std::size_t of(TensorId id) const { return group_[static_cast<std::size_t>(id)]; }

  /// The greatest of the tensors' values, by group.
  std::vector<double> largest(const std::vector<double>& largest_of_tensor) const;

 private:
  std::size_t find(TensorId id);
  void join(TensorId a, TensorId b);
  void join_inputs_of_shared_weights(const Network& network);

  std::vector<std::size_t> group_;  ///< while they are joined, one closer to the group's first
};

}  // namespace accord::numerics
