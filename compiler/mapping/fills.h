#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/mapping/plan.h"

namespace accord {

/// [use][iterator]: whether what the use sees changes with it.
using Dependences = std::vector<std::vector<bool>>;

Dependences dependences(const Mapping& mapping);

/// How often each tile of a mapping, in its loop order, is brought in or out.
class Fills {
 public:
  explicit Fills(const Mapping& mapping) : Fills(mapping, dependences(mapping)) {}
  /// `depends`: the mapping's `dependences`, of which only the uses' accesses decide.
  Fills(const Mapping& mapping, const Dependences& depends);

  /// Over the whole work: the trips of all loops of the levels down to `level` and of those to the innermost one that
  /// changes what the use sees; at level 0 without those that bring nothing again.
  std::int64_t of(int use, int level) const { return fills_[static_cast<std::size_t>(use * mapping_.levels + level)]; }

  /// How often each level 0 tile is brought in: the trips of those loops that do not change it, around others that do,
  /// in which more tiles come than there are copies.
  std::int64_t again(int use) const { return again_[static_cast<std::size_t>(use)]; }

  /// Level 0 tiles of which each has a copy, and what is done over and over with them.
  struct Round {
    std::int64_t tiles = 1;
    std::int64_t passes = 1;  ///< trips of the loops around them that bring nothing again
  };
  const Round& round(int use) const { return rounds_[static_cast<std::size_t>(use)]; }

  /// Cycles of the use's transfers at level 0, `times` that take `cycles` together, which nothing hides in work that
  /// takes `busy` by itself. Tiles that stay for several passes come in the first one, and the next round's in the last
  /// one, or sooner where there are copies to spare: what is longer than a pass.
  double exposed(int use, double times, double cycles, double busy) const;

  /// Copies of the use's tile at a level that are kept so that one fills while another is used.
  int copies(int use, int level) const {
    const std::int64_t filled = of(use, box_level(mapping_, mapping_.uses[use], level));
    return static_cast<int>(std::min<std::int64_t>(mapping_.copies[use][level], filled));
  }

 private:
  const Mapping& mapping_;
  template <typename T, std::size_t usual>
  using Few = boost::container::small_vector<T, usual>;  // made for each prediction: a search makes millions
  Few<std::int64_t, 24> fills_;                          ///< by use and level
  Few<std::int64_t, 8> again_;                           ///< by use
  Few<Round, 8> rounds_;                                 ///< by use
};

}  // namespace accord
