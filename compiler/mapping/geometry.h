#pragma once

#include <boost/functional/hash.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/mapping/candidates.h"
#include "compiler/mapping/dram_timing.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/layout.h"
#include "compiler/mapping/transfer.h"

namespace accord {

using Extents = std::vector<std::int64_t>;

/// A copy at an offset on either side.
struct PlacedCopy {
  std::int64_t source = 0;
  std::int64_t target = 0;
  Copy copy;
};

/// The transfers that bring a tile in or out, relative to the two tiles' bases.
struct TileMove {
  std::vector<TransferPiece> pieces;
  std::int64_t bytes = 0;
  std::int64_t source_bytes = 0;
  std::int64_t image_bytes = 0;  ///< of a constant: size of its image
  bool padded = false;           ///< of a constant: what pads the tile's lanes comes along
  double cycles = 0;  ///< all pieces, one after another (timing.h); of a part of divided work until it has them
  double hurry = 0;   ///< of `cycles`, what pieces wait for room in flight unless their mover was idle before
  double requests = 0;
  double source_words = 0, target_words = 0;  ///< of memories on chip
  DramTraffic dram;
  std::string error;
};

struct FixedCosts;
struct TileCosts;

/// Layouts and moves of a mapping's tiles, remembered by shape, and what the last tiles cost.
class Geometry {
 public:
  Geometry(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
           const Mapping& mapping);

  /// Layout of the use's tile at a level (its own memory's word), for these extents.
  const Layout& layout(int use, int level, const Extents& extents);

  /// Moves between the tile at `level` and the one outside it: off-chip memory at level 0 (constants come from a packed
  /// image), else the tile at level - 1, whose extents are `outer`. For inputs towards the unit, for outputs away.
  /// `part`: only so much of the tile, from its first point on; empty: all of it. `padded`: as the move before has it,
  /// which brought a constant to the tile outside.
  const TileMove& move(int use, int level, const Extents& extents, const Extents& outer, const Extents& part = {},
                       bool padded = true);

  /// What `measure` (tile_costs.h) gives for the mapping's tiles, asked for only where they are not those of the last
  /// call.
  const TileCosts& tile_costs();

  /// Bytes in multiples of which the use's tiles of a level lie in their memory (address_units.h).
  std::int64_t place_unit(int use, int level) const { return place_units_[use][level]; }

  bool is_constant(int use) const;
  /// Whether the use's tensor has its home on chip.
  bool kept_on_chip(int use) const;
  const HomeStrides& strides(int use) const;
  /// Whether the use's results would lie in a margin that others rely on (padding.h).
  bool spills(int use) const;
  TensorId tensor(int use) const;
  std::int64_t element_bytes(int use) const { return bytes(mapping_.uses[use].type); }
  /// Of the mapping, all but whose tiles, loop order and copies stays as it is.
  const std::shared_ptr<const FixedCosts>& fixed() const { return fixed_; }

 private:
  /// What was made for a use, by all that it depends on.
  template <typename Made>
  using Known = std::unordered_map<Extents, std::unique_ptr<Made>, boost::hash<Extents>>;

  void foresee_margins();
  void find_place_units();
  std::vector<bool> relevant_to(int use) const;
  bool brings_gaps(int use) const;
  void append_relevant(int use, const Extents& extents);
  TileMove timed(TileMove move, const Use& use, int level) const;
  TileMove make_move(int use, int level, const Extents& extents, const Extents& outer, const Extents& part,
                     bool padded);
  TileMove make_image_move(int use, const Layout& tile, const RouteLimits& limits) const;
  TileMove make_start(int use, int level, const Extents& extents, const Extents& outer);
  TileMove make_carried(int use, const Layout& tile) const;

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  const Mapping& mapping_;
  std::vector<std::optional<HomeStrides>> reached_;     ///< [use]; none: those of its home
  std::vector<std::vector<std::int64_t>> place_units_;  ///< [use][level]
  std::vector<Extents> measured_;
  std::shared_ptr<const TileCosts> costs_;
  std::shared_ptr<const FixedCosts> fixed_;
  Dependences relevant_;                ///< [use][iterator]: to its layouts and moves
  std::vector<Known<Layout>> layouts_;  ///< [use]
  std::vector<Known<TileMove>> moves_;
  Extents key_;  ///< asked for, in memory that stays: searches ask a million times
};

/// Copies between a tile and the same elements elsewhere: `other` null means the home (axis home steps).
/// Without `error`, source is the other side and target the tile. `part`: extents of the iterators over which the
/// tile's elements are copied; empty: all.
std::vector<PlacedCopy> tile_copies(const Layout& tile, const Layout* other, std::int64_t element, std::string& error,
                                    const Extents& part = {});

}  // namespace accord
