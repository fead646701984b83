#pragma once

#include <algorithm>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"
#include "compiler/numerics/roles.h"
#include "compiler/numerics/scales.h"

namespace accord::numerics {

/// Between which integers what is stored of a tensor lies, whatever the network's inputs.
struct StoredRange {
  double low = 0, high = 0;
  /// Greatest magnitude.
  double reach() const { return std::max(high, -low); }
};

/// What a requantisation to those steps bounds the operator's result to: a Clip's bounds, else what the type holds.
StoredRange bounds_of(const Operator& op, const ActivationScale& step, ElementType storage);

/// Of every tensor, were it stored: what Clips leave, also behind movers, else all that the type holds. `scales`: of
/// every tensor.
std::vector<StoredRange> stored_ranges(const Network& network, const std::vector<PlannedOperator>& plan,
                                       const std::vector<ActivationScale>& scales, ElementType storage);

}  // namespace accord::numerics
