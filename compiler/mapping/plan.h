#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/graph/component_graph.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/codelets/work.h"
#include "compiler/mapping/match.h"
#include "compiler/mapping/work_form.h"

namespace accord {

/// One statement of the work on one capability. A chain lists the iterators bound to a capability dim, outermost
/// first; together they count that dim. Iterators in no chain become loops around the instruction.
struct StatementPlan {
  int statement = -1;
  Match match;
  std::vector<std::vector<int>> chains;  ///< per dim of the capability
  int opening = -1;                      ///< which of `Elements::openings` does the first instruction of each sum
  bool shares_unit = false;              ///< of a part of divided work: its unit works for other parts, too
  bool operator==(const StatementPlan&) const = default;
};

enum class UseRole : std::uint8_t {
  input,        ///< read by a statement; comes from off-chip memory
  start,        ///< initial values of the accumulator (bias, zeros), or what is carried: last hop writes its tile
  accumulator,  ///< the temporary between the statements, stays in its memory
  output        ///< written by the last statement; goes to off-chip memory
};

/// How the parts of divided work hold and get their tiles of a use at a level, where several may do so together.
struct SharedTiles {
  Hop bringer;           ///< brings the part's tile where its own hop does not: a multicast
  double receivers = 1;  ///< parts that one transfer reaches
  double turns = 1;      ///< transfers for this use that the mover makes while each part gets one tile
  double relief = 1;     ///< by how much their ways carry the tiles quicker than one transfer per part would
  bool joint = false;    ///< the part cannot load alone: nothing but a multicast comes there, or others read the place
  int places = 1;        ///< that the parts' tiles take in the memory; parts that read the same there have one
  int place = 0;         ///< of the part
  bool operator==(const SharedTiles&) const = default;
};

/// A memory operand of a step's capability, and its way between off-chip memory and the capability's memory.
/// `hops` empty: the capability reaches off-chip memory itself (or the operand is the accumulator).
struct Use {
  UseRole role{};
  int step = -1;
  int operand = -1;     ///< of the capability
  bool filled = false;  ///< a constant vector of `fill` instead of an operand of the work
  double fill = 0;
  Access access;  ///< of the work (not when filled)
  ElementType type{};
  int memory = -1;        ///< the capability's
  int home = -1;          ///< memory that its tensor lives in: off-chip, or on chip where it is kept between layers
  bool windowed = false;  ///< overlapping windows share their elements on chip (else each window has its own copy)
  bool dense = false;     ///< tiles lie on chip without gaps and blocks: lanes run on, rows begin inside words
  bool as_home = false;   ///< tiles lie as at home, without gaps, until the last transfer: that arranges them
  std::vector<Hop> hops;  ///< in the direction of the data; input: home -> memory, output: memory -> home
  int depth = 0;          ///< transfers between home and the capability's memory; its tile lives at level depth - 1
  std::vector<SharedTiles> shared;  ///< by level, of a part of divided work; else empty
  bool operator==(const Use&) const = default;
};

/// Of a level; what is divided by nobody shares nothing.
const SharedTiles& shared_at(const Use& use, int level);

/// The outermost level at which the use has a tile: an accumulator has one where its unit works, and none on the way
/// there.
int first_level(const Use& use);

/// The memory that holds the use's tile of a level (first_level .. depth - 1): where the next hop begins, for a
/// multicast ends in several.
int memory_at(const Architecture& architecture, const Use& use, int level);

/// The hop that fills (input, start) or empties (output) the use's tile of a level.
const Hop& hop_at(const Use& use, int level);

/// The same, of a part of divided work the multicast that does it for several.
const Hop& brought_by(const Use& use, int level);

/// A loop whose turns run at the same time, each on an element of its own: `part` counts of the iterator to each, the
/// last one taking what is left.
struct SpatialLoop {
  int iterator = -1;
  std::int64_t part = 1;
  std::int64_t step = 1;  ///< elements from one turn's to the next one's
  auto operator<=>(const SpatialLoop&) const = default;
};

/// The bytes of a memory that tiles may use.
struct Region {
  std::int64_t base = 0;
  std::int64_t bytes = 0;
  bool operator==(const Region&) const = default;
};

/// [use][level]: copies of the use's tile in memory; with two, one fills while the other is used.
using Copies = std::vector<std::vector<int>>;

/// So many of every tile.
Copies equal_copies(std::size_t uses, int levels, int count);

/// How the work of one layer runs on the machine: the statements' capabilities, tiles per level, loop order, copies.
/// Level 0 tiles live one hop from off-chip memory, level 1 tiles two hops, and so on.
struct Mapping {
  std::shared_ptr<const WorkForm> form;  ///< of the layer's work, where it is not done as it stands
  std::vector<std::int64_t> extent;      ///< per iterator, padded to what the capabilities' dims require
  std::vector<StatementPlan> steps;      ///< the main statement, those after it, and the `starting_step`, if any
  std::vector<Use> uses;
  bool reduces_at_once = false;  ///< the main capability initialises, so it must see all in one go
  int levels = 1;
  int detour = -1;                ///< memory that inputs come through, on ways longer than the shortest; -1: none
  std::map<int, Region> regions;  ///< by memory, where tensors are kept beside the tiles; others are the tiles' whole
  /// Work divided over elements that are alike (see parts_of), outermost; steps and uses are those of the first one,
  /// tiles those of one part.
  std::vector<SpatialLoop> spatial;
  std::vector<std::vector<std::int64_t>> tile;  ///< [level][iterator]
  std::vector<std::vector<int>> order;          ///< [level]: loops, outermost first
  Copies copies;
  /// Its loops may become hardware loops, whose turns all do the same. Else an input's level 0 tile that one of its
  /// copies still holds is not brought again.
  bool rolls = false;
  /// Where it rolls: inputs' tiles inside have two copies, and a turn of the innermost hardware loop is two tiles.
  bool alternates = false;
  /// Results' transfers are not cut into parts, which begin sooner but each take their own time to set up.
  bool stores_whole = false;
  double predicted_cycles = 0;
  bool scheduled = false;      ///< those are the cycles of its schedule, not of a cost model
  double measured_cycles = 0;  ///< of the layer alone on the machine; 0: not measured
  bool operator==(const Mapping&) const = default;
};

/// The statements whose iterators the mapping counts: the layer's work, or its form of that.
const Work& work_of(const Work& work, const Mapping& mapping);

/// What the mapping's tiles may use of a memory.
Region region_of(const Architecture& architecture, const Mapping& mapping, int memory);
/// Extent of the box that the level's loops over the iterator divide.
inline std::int64_t outer_extent(const Mapping& mapping, int level, int iterator) {
  return level == 0 ? mapping.extent[iterator] : mapping.tile[level - 1][iterator];
}

/// How often the level's loop over the iterator turns.
inline std::int64_t trips(const Mapping& mapping, int level, int iterator) {
  return ceil_div(outer_extent(mapping, level, iterator), mapping.tile[level][iterator]);
}

/// Gives a mapping of the same assignment the other's tiles, their density, loop order, copies, ways, movers and
/// whether it rolls, with what is predicted of them.
void adopt_tiling(Mapping& mapping, const Mapping& other);

/// The use that holds the main statement's target.
int target_use(const Mapping& mapping);

/// The step whose instructions set initial values before the main one adds to them; -1: a use with the role `start`
/// brings them, the main capability sets them, or there are none.
int starting_step(const Mapping& mapping);

/// The `starting_step` works in the main one's tile of results, wherever that lies now.
void begin_in_target(Mapping& mapping);

/// The last of the steps that follow the main one; 0: there are none.
int last_step(const Mapping& mapping);

/// Whether the use brings what the work moves (carry.cpp) instead of initial values: an activation.
bool is_carried(const Work& work, const Use& use);

/// Whether the use's transfers of a level write initial values: for each tile of results anew, whatever they depend on.
bool starts_tiles(const Work& work, const Use& use, int level);

/// Whether sums would begin right in the home of the result, which has no tile to hold what they begin with, and whose
/// rows lie otherwise than the tiles that the unit adds to.
bool starts_in_home(const Mapping& mapping);

/// Level of the tile that holds the main statement's target: the statements after it run there; -1: off chip.
int target_level(const Mapping& mapping);

/// Level whose box the use's tile of a level covers. Initial values and operands of later statements are used at the
/// target's level: hops inside it move the whole tile on, so that tiles of deeper levels are as large as that one.
int box_level(const Mapping& mapping, const Use& use, int level);

/// The unit and the capability that do the main statement.
std::pair<int, int> main_capability(const Mapping& mapping);

/// In which way that capability matches (Match::way).
int main_way(const Mapping& mapping);

/// Whether it is one of the work's `blocked_forms` that is done.
inline bool in_blocks(const Mapping& mapping) { return mapping.form && mapping.form->twin < 0; }

/// Whether the iterator, of `work_of`, is reduced by the main statement.
bool is_reduction(const Work& work, const Mapping& mapping, int iterator);

/// Where the operand stands in the statement that does the capability's work (its last).
const Access& access_of(const Capability& capability, int operand);

/// Bytes that the operand is wired to step per count of the dim; 0 where it is free or does not occur.
std::int64_t wired_step(const Capability& capability, int operand, int dim);

/// Whether the access depends on the iterator.
inline bool depends(const Access& access, int iterator) {
  for (const AffineIndex& index : access.indices) {  // asked millions of times, of few and short indices
    for (const auto& term : index.terms) {
      if (term.first == iterator) return true;
    }
  }
  return false;
}

}  // namespace accord
