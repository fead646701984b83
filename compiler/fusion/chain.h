#pragma once

#include <optional>
#include <vector>

#include "compiler/fusion/slice.h"
#include "compiler/mapping/homes.h"

namespace accord {

/// What fusion knows of a layer: the tensors it hands on.
struct ChainLayer {
  const Work* work = nullptr;
  const Home* home = nullptr;   ///< of its result
  TensorId result = no_tensor;  ///< its one visible result; no_tensor: it cannot be in a chain
  bool leaves = true;           ///< the result is read beyond the layer's chain, or is the network's
};

/// Consecutive layers that hand their results on without off-chip memory, in strips of one index of the last result
/// (depth-first tiles; Alwani et al., "Fused-Layer CNN Accelerators", MICRO 2016, with overlapping rows computed
/// anew). One strip means that whole tensors are kept.
struct Chain {
  int first = 0;  ///< layers [first, last]
  int last = 0;
  int asked = 1;                               ///< strips asked for; rounding may leave fewer
  int index = 0;                               ///< of all results
  std::vector<std::vector<Positions>> ranges;  ///< [strip][layer - first]: positions that the layer computes
  int strips() const { return static_cast<int>(ranges.size()); }
  /// Positions that no earlier strip has computed.
  Positions fresh(int strip, int layer) const;
};

/// Positions of the outermost index in memory of the layer's result of which it has more than one: what strips divide.
std::int64_t outer_positions(const ChainLayer& layer);

/// The chain of the layers `first`..`last` in about `strips` strips; nothing where the layers do not hand on rows.
/// `layers` are all layers of the network; `leaves` is set for this chain.
std::optional<Chain> make_chain(const std::vector<ChainLayer>& layers, int first, int last, int strips);

}  // namespace accord
