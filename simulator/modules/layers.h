#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "archdsl/graph/components.h"
#include "simulator/kernels/operation.h"

namespace accord::sim {

/// When layers end, and what belongs to each. A layer ends with its last operation, but not before time that an account
/// has charged already (where a loop around the layer might have come to it once more); its cycles reach back to the
/// end of the layer that ended before.
class Layers {
 public:
  struct Totals {
    std::vector<double> energy_pj;  ///< by component, of what it does
    std::int64_t lane_macs = 0;
    std::int64_t off_chip_bytes = 0;
    std::vector<std::int64_t> link_bytes;
    Cycle begin = unknown;     ///< of its first operation
    Cycle computes = unknown;  ///< begin of the first that runs a capability
    Cycle end = 0;             ///< of its last operation
    std::int64_t unfinished = 0;
    bool dispatched = false;  ///< nothing more of it will come
  };
  struct Boundary {
    Cycle end;
    int layer;
  };

  Layers(std::size_t layers, const ComponentNumbers& components);

  void count(const Operation& operation);     ///< dispatched
  void finish(const Operation& operation);    ///< its end is known; may end the layer
  void all_dispatched(int layer, Cycle now);  ///< may end the layer
  /// Ends a layer that the host did.
  void end_host(int layer, Cycle now);
  /// `layer` has no work of its own: it ends with the last of these.
  void follow(const std::vector<int>& leaders, int layer);

  /// Ascending; known so far.
  const std::vector<Boundary>& boundaries() const { return boundaries_; }
  /// Some account has divided its time until then among layers: boundaries before it stay as they are.
  void charged(Cycle until) { charged_ = std::max(charged_, until); }
  const Totals& totals(int layer) const { return totals_[static_cast<std::size_t>(layer)]; }
  const Totals& outside() const { return totals_.back(); }  ///< operations that belong to no layer

  std::function<void(int layer, Cycle end)> on_end;

 private:
  Totals& of(int layer) { return layer < 0 ? totals_.back() : totals_[static_cast<std::size_t>(layer)]; }
  void end_if_complete(int layer);
  void end(int layer, Cycle cycle);
  std::vector<Totals> totals_;
  std::vector<std::vector<int>> followers_;
  std::vector<int> awaited_;  ///< per layer: those it follows that have not ended
  std::vector<Boundary> boundaries_;
  Cycle charged_ = 0;
};

}  // namespace accord::sim
