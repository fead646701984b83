#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/lowering/buffers.h"
#include "compiler/lowering/constants.h"
#include "compiler/lowering/instructions.h"
#include "compiler/lowering/repetition.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/geometry.h"

namespace accord {

/// A box of the iteration space.
struct Box {
  Extents origin;
  Extents extent;
};

/// Which tile a buffer copy holds now.
struct Resident {
  Box box;
  int copy = -1;
  bool padded = true;  ///< TileMove::padded
};

/// What all copies of a tile hold.
struct Held {
  std::vector<Box> boxes;  ///< by copy; as many as have been filled
  std::size_t next = 0;    ///< that will be filled
};

using Residents = std::vector<std::vector<Resident>>;  ///< [use][level]

/// Walks a mapping's tiles in loop order and appends what each needs.
class Lowering {
 public:
  Lowering(const Machine& machine, const Network& network, const Work& work, const Homes& homes, const Mapping& mapping,
           const Mapping& first, const TileBytes& bytes, ConstantImages& images, std::vector<OffChip>& off_chip,
           LaidFrom from)
      : machine_(machine),
        network_(network),
        work_(work),
        homes_(homes),
        mapping_(mapping),
        first_(first),
        bytes_(bytes),
        images_(images),
        off_chip_(off_chip),
        from_(from),
        geometry_(machine, network, work, homes, mapping),
        fills_(first),
        instructions_(machine, mapping, list_) {}

  OpList run();
  /// Only what it does for constants: gives their tiles' images places.
  void lay_images();

 private:
  void find_target();
  void clip(int level, int it);
  void visit(int level);
  void visit_loop(int level, std::size_t depth);
  void visit_tile(int level);
  Box outer_step(int level) const;
  void visit_turn(int level, std::size_t depth, std::int64_t turn);
  std::int64_t roll(int level, std::size_t depth, std::int64_t turns);
  bool roll_from(int level, std::size_t depth, std::int64_t limit, std::int64_t& turn);
  Residents moved(Residents residents, int level, int it, std::int64_t by) const;
  bool same_state(const Residents& a, const Residents& b) const;
  bool can_advance(std::size_t first, const std::vector<std::int64_t>& deltas) const;
  void choose_rolled();
  void lay_images(int u);
  /// Where a transfer begins or ends.
  void each_tile(const Use& use, int level, int last, std::size_t depth, Box& box, const Box& outer,
                 const std::function<void(const Box&)>& fn) const;
  bool starts_together() const;
  bool holds_carried(const Resident& resident, int level) const;
  void begin_target(int level);
  void finish_target(int level);
  void emit_step(int s, int level);
  void fetch_for_step(int s);
  bool takes(int u, int level) const;
  void ensure(int u, int level);
  bool still_held(int u);
  int next_copy(int u, int level);
  void flush(int u, int level);
  void load_start();
  double cycles_between(int u, int level);
  std::int64_t parts_of_move(int u, int level, const TransferPiece& piece) const;
  void emit_move(int u, int level, const TileMove& move, const TransferEnd& source, const TransferEnd& target);
  std::int64_t home_address(int u, const Extents& origin) const;
  TransferEnd constant_image(int u, const Box& box);
  std::int64_t find_image(int u, const Box& box);
  std::int64_t image_size(int u, const Box& box);
  void write_image(int u, const Box& box, std::byte* image);
  std::int64_t address_of_images(int u, const std::vector<std::pair<Box, std::int64_t>>& placed, std::int64_t size,
                                 OffChip& memory);
  const Box& box_at(int u, int level) const { return box_of(u, level, box_level(mapping_, mapping_.uses[u], level)); }
  const Box& box_of(int u, int level, int box) const;
  /// The tile outside the one of a level: the whole work at level 0.
  const Extents& outer_extents(int u, int level) const {
    return level == 0 ? mapping_.extent : box_at(u, level - 1).extent;
  }
  const Layout& layout_at(int u, int level) { return geometry_.layout(u, level, box_at(u, level).extent); }
  /// Where the use's tile of a level begins in the one outside it. Equal values are whole words, and the same anywhere:
  /// a tile of them begins where the outer one does, lest its last word lie beyond.
  std::int64_t offset_outside(int u, int level) {
    if (mapping_.uses[u].filled) return 0;
    const Extents at = relative(box_level(mapping_, mapping_.uses[u], level), mapping_.uses[u], level - 1);
    return offset_of(layout_at(u, level - 1), at);
  }
  std::int64_t tile_address(int u, int level) const { return buffers_[u][level].bases[resident_[u][level].copy]; }
  int buffer_id(int u, int level) const { return buffers_[u][level].first + resident_[u][level].copy; }
  bool same_box(int u, const Box& a, const Box& b) const;
  void find_written();
  Extents written_part(int u, const Box& box) const;
  bool reduction_starts(int level) const;
  bool reduction_ends(int level) const;
  Extents relative(int level, const Use& use, int outer) const;

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  const Mapping& mapping_;
  const Mapping& first_;  ///< part of divided work, the greatest
  const TileBytes& bytes_;
  ConstantImages& images_;
  std::vector<OffChip>& off_chip_;
  LaidFrom from_;
  Geometry geometry_;
  const Fills fills_;  ///< of the first part
  OpList list_;
  Instructions instructions_;
  std::vector<std::vector<TileBuffer>> buffers_;
  Residents resident_;
  std::unordered_map<const TileMove*, int> forms_;  ///< of images, by the moves that read them
  std::vector<Held> held_;                          ///< by use, at level 0
  std::vector<std::vector<double>> between_;        ///< [use][level]: `cycles_between`
  std::vector<Box> steps_;                          ///< by level: the first part's tiles, whose steps all parts go
  std::vector<Box> boxes_;                          ///< what of them lies within the mapping's own extents
  std::vector<Extents> written_;  ///< per output: how far of each iterator it is written; of other uses empty
  int target_ = -1;               ///< the main statement's target use
  int start_ = -1;
  int target_level_ = -1;
  std::vector<std::vector<bool>> rolled_;  ///< [level][depth]: loops that may become hardware loops
};

}  // namespace accord
