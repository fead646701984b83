#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/loop_choice.h"
#include "compiler/mapping/tile_sizes.h"

namespace accord {

/// A local search for tiles, loop order and copies of one assignment. From several beginnings, iterators change their
/// size at one level, in either direction, as long as the prediction falls. An assignment that comes with tiles, those
/// of similar work, is searched from there. Tiles whose least cost is no less than the costs of `most_kept` others, and
/// than that of the descent's next step, are left out. Deterministic.
class TileSearch {
 public:
  static constexpr std::size_t most_kept = 6;

  /// All but `assignment` must outlive it.
  TileSearch(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             const Mapping& assignment);
  TileSearch(const TileSearch&) = delete;
  TileSearch& operator=(const TileSearch&) = delete;

  /// One iterator at a time, from all beginnings, or until a descent ends above `promising` cycles.
  void descend(double promising);
  /// On from where that ended: two at a time, unless the tiles of similar work were known; then with tiles that stay.
  void descend_by_pairs();
  /// All whose tiles differ from the assignment's in the size of one or two iterators by little; nothing else.
  void look_around();

  /// Predicted cycles of the best one so far; infinite where none is legal.
  double cycles() const;
  /// Why none is legal.
  const std::string& error();
  /// The best so far, fewest predicted cycles first, at most `count` (of `most_kept`).
  std::vector<Mapping> best(std::size_t count) const;

 private:
  /// [level][iterator], in one piece: a search makes and compares millions.
  class Tiles {
   public:
    Tiles() = default;
    explicit Tiles(const std::vector<Extents>& sizes);
    void write_to(std::vector<Extents>& sizes) const;
    bool empty() const { return levels_ == 0; }
    std::int64_t* operator[](int level) { return &all_[static_cast<std::size_t>(level) * iterators_]; }
    const std::int64_t* operator[](int level) const { return &all_[static_cast<std::size_t>(level) * iterators_]; }
    bool operator<(const Tiles& other) const { return std::ranges::lexicographical_compare(all_, other.all_); }
    bool operator==(const Tiles& other) const { return all_ == other.all_; }

   private:
    boost::container::small_vector<std::int64_t, 24> all_;
    std::size_t levels_ = 0, iterators_ = 0;  // of a number without dimensions none
  };
  using Entry = std::map<Tiles, LoopChoices>::value_type;

  /// Places in the list of an iterator's sizes by which it changes.
  struct Reach {
    std::ptrdiff_t most = 0;
    bool doubling = false;  ///< only 1, 2, 4, 8 and so on of these
    bool holds(std::ptrdiff_t places) const;
  };

  void descend_from(const Tiles& start);
  void descend_keeping();
  bool improve();
  bool improve_within(const Reach& reach);
  bool improve_by_pairs();
  bool move_on();
  void consider(const Tiles& tiles);
  bool left_out(const Tiles& tiles);
  std::optional<Tiles> resized(const Tiles& tiles, int level, int it, std::int64_t size) const;
  std::vector<Tiles> neighbours(const Tiles& tiles, const Reach& reach) const;
  std::vector<Tiles> exchanged(const Tiles& tiles) const;
  std::vector<Tiles> levelled(const Tiles& tiles) const;
  const Entry& evaluate(const Tiles& tiles);
  double cycles(const Entry& entry) const { return keeping_ ? entry.second.best().cycles : entry.second.plain.cycles; }

  const Machine& machine_;
  const Work& work_;
  Mapping mapping_;
  const Tiles start_;  ///< empty: none is known
  TileSizes sizes_;
  Geometry geometry_;
  LoopChooser loops_;
  std::map<Tiles, LoopChoices> tried_;
  std::map<Tiles, double> least_costs_;  ///< of tiles that were left out
  std::vector<double> quickest_;         ///< of those tried, ascending, at most `most_kept`
  std::vector<const Entry*> ends_;       ///< of descents, one for each beginning
  bool keeping_ = false;                 ///< the descent looks at choices that keep tiles, too
  const Entry* now_ = nullptr;           ///< where the descent stands
  const Entry* next_ = nullptr;          ///< the best neighbour so far
};

/// Tilings that differ from a mapping's in the size of one or two iterators by little, each with its best order and
/// copies; fewest predicted cycles first, at most `count`.
std::vector<Mapping> near_tilings(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                  const Mapping& mapping, std::size_t count);

}  // namespace accord
