#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mapping/plan.h"

namespace accord {

/// Which loops of a mapping's outermost level a schedule need not go through to the end: once the copies of all tiles
/// have taken turns, a trip is like the one before it. What the whole takes follows from the schedules of shortened
/// layers, one with several trips of each such loop and, per loop, one with fewer of it.
class Shortening {
 public:
  /// `part`: the work, or the greatest part of divided work; it has about so many operations, of which a schedule
  /// should see no more than `wanted`. Loops that turn too seldom stay whole.
  Shortening(const Mapping& part, double operations, double wanted);

  /// Operations of all shortened layers together, about.
  double all_operations() const;

  std::size_t layers() const { return loops_.size() + 1; }
  /// Trips of a shortened layer, but the longest, as a part of that one's.
  double share(std::size_t layer) const;
  /// A part of the work in the shortened layer of this index, 0 the longest.
  Mapping shortened(Mapping part, std::size_t layer) const;
  /// Cycles of the whole work from those of the shortened layers.
  double whole(const std::vector<double>& cycles) const;

 private:
  struct Loop {
    int iterator = -1;
    double trips = 1;  ///< of the whole work
    std::int64_t fewer = 1, more = 2;
  };

  std::vector<Loop> loops_;  ///< outermost first
  double operations_;        ///< of the longest shortened layer, about
};

}  // namespace accord
