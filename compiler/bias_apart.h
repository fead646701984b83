#pragma once

#include <optional>
#include <vector>

#include "compiler/compilation.h"

namespace accord {

/// What a layer's sums begin with as an operator of its own, for machines on which it comes to another memory than the
/// sums: `Conv(x, w, bias)` as `Conv(x, w)`, whose result is a tensor of its own, and `AddBias`. Integers wrap, so that
/// they come to the same; floats are rounded in another order.
class BiasApart {
 public:
  /// Changes the network. Nothing, and none, where the layer's first operator has no vector that its sums begin with.
  static std::optional<BiasApart> of(Compilation& compilation, const LayerPlan& layer);

  /// The layer's, now: what sums, `AddBias`, and what follows.
  const std::vector<int>& operators() const { return operators_; }

  /// The network as it was.
  void undo(Compilation& compilation);

 private:
  Operator before_;
  std::vector<int> operators_;
};

}  // namespace accord
