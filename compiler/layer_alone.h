#pragma once

#include <vector>

#include "compiler/compilation.h"

namespace accord {

/// A layer by itself, run by mappings of it: what no prediction knows, the machine tells.
class LayerAlone {
 public:
  LayerAlone(const Compilation& compilation, const LayerPlan& layer, Measure measure);

  /// Whether what the layer reads and writes lies off chip.
  bool possible() const;

  /// Cycles of the layer's program, from its first instruction to its last store; infinite where the machine's
  /// instructions cannot express the mapping.
  double cycles(const Mapping& mapping);

 private:
  void lay_out(const Mapping& mapping);
  std::vector<LayerPlan> with_shown(const std::vector<LayerPlan>& layers) const;
  void feed(const std::vector<LayerPlan>& layers);

  const Compilation& known_;
  const Measure measure_;
  Compilation alone_;
  std::vector<LayerPlan> layers_;  ///< all of the network's, which decide how tensors lie
  std::size_t index_ = 0;          ///< the layer's among them
};

}  // namespace accord
