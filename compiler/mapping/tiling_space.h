#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// The tilings, loop orders and copies that one assignment may have, legal or not.
class TilingSpace {
 public:
  using Visit = std::function<bool(Mapping&)>;  ///< false ends the enumeration

  TilingSpace(const Machine& machine, const Mapping& assignment);

  /// Tile sizes of an iterator within a box of `outer`, ascending: the smallest for every number of trips (divisors
  /// and what leaves a remainder), and whole chunks of the instructions' dims. A size that is left out makes as many
  /// trips as a smaller one that stands here.
  std::vector<std::int64_t> sizes(int iterator, std::int64_t outer) const;

  /// All choices of tiles, with some order.
  bool for_each_tiles(const Visit& visit) const;

  /// All orders of the loops that turn more than once, level by level; the others stand last.
  bool for_each_order(Mapping& mapping, const Visit& visit) const;

  /// One or two copies of every tile of uses that are loaded from or stored to off-chip memory more than once.
  bool for_each_copies(Mapping& mapping, const Visit& visit) const;

  /// Mappings of the space; a number above `limit` where there are more.
  std::int64_t count(std::int64_t limit) const;

 private:
  bool tiles_from(Mapping& mapping, int level, std::size_t iterator, const Visit& visit) const;
  bool orders_from(Mapping& mapping, int level, const Visit& visit) const;

  const Mapping& assignment_;
  std::vector<std::vector<std::int64_t>> chunks_;  ///< per iterator: extents of the dims that count it
  std::vector<std::size_t> doubled_;               ///< uses that may have two copies
};

/// Loops of the level that turn more than once.
std::vector<int> turning_loops(const Mapping& mapping, int level);

}  // namespace accord
