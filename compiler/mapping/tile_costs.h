#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "compiler/mapping/by_id.h"
#include "compiler/mapping/geometry.h"
#include "compiler/mapping/timing.h"

namespace accord {

/// [use][level]: of one copy of the tile, the greatest of whole and remaining ones; 0 where there is none.
using TileBytes = std::vector<std::vector<std::int64_t>>;

/// What a mapping's tiles do not change.
struct FixedCosts {
  Dependences depends;
  ById<std::int64_t> rooms;          ///< bytes for tiles in the memories that hold some
  std::vector<double> step_latency;  ///< [step]: from the end of the greatest instruction's interval to its results
};
FixedCosts fixed_costs(const Machine& machine, const Mapping& mapping);
ById<std::int64_t> rooms_for_tiles(const Machine& machine, const Mapping& mapping);

/// What a mapping's tile sizes cost, whatever the loops' order and the copies.
struct TileCosts {
  /// A tile's transfers between its level and the one outside, averaged over whole and remaining tiles.
  struct Move {
    int use = -1;
    int level = 0;
    int box = 0;  ///< level whose loops move it
    Hop hop;
    double cycles = 0;        ///< its mover is occupied
    double source_bytes = 0;  ///< read; of a part of divided work its share, as the next three
    double requests = 0;
    double source_words = 0, target_words = 0;  ///< of memories on chip
    DramTraffic dram;
    double pieces = 0;   ///< instructions
    double latency = 0;  ///< of one instruction, beside its cycles
    double hurry = 0;    ///< of its cycles, what it does not take where its mover was idle
  };

  std::string error;  ///< why no order and no copies make the tiles legal; empty: some may
  std::vector<Move> moves;
  std::vector<double> step_cycles;                    ///< [step]: all its instructions on their unit
  std::vector<double> step_instructions;              ///< [step]
  std::vector<std::array<DramTraffic, 2>> step_dram;  ///< [step]: read, written
  std::vector<MemoryWords> step_words;                ///< of all steps, each memory once
  TileBytes bytes;
  std::shared_ptr<const FixedCosts> fixed;  ///< the mapping's
};

TileCosts measure(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping);

TileBytes tile_bytes(Geometry& geometry, const Mapping& mapping, std::string& error);

/// Bytes of each memory that so many copies of the tiles need.
ById<std::int64_t> footprint(const Machine& machine, const Mapping& mapping, const TileBytes& bytes,
                             const std::function<int(int use, int level)>& copies);

/// Which memory is too small for them; empty: none. `rooms`: the mapping's FixedCosts.
std::string overfull(const Machine& machine, const ById<std::int64_t>& rooms, const ById<std::int64_t>& bytes);

}  // namespace accord
