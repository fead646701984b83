#pragma once

#include <cstddef>
#include <vector>

#include "compiler/mapping/tile_costs.h"

namespace accord {

/// What limits a machine that begins operations in program order and keeps order word by word: issue slots; and how
/// soon a word can be loaded again, since each is free as soon as its own last reader is done.
class InOrderCost {
 public:
  InOrderCost(const Machine& machine, const Mapping& mapping, const TileCosts& tiles);

  /// Until the last result is off chip: the greatest, over movers and compute units, of what has to come before, what
  /// the unit itself takes and what is left to do after. `unit_cycles`: of each unit, all its instructions.
  double cycles(const std::vector<double>& unit_cycles) const;

 private:
  /// How often a move is done.
  double loads(const TileCosts::Move& move) const {
    return loads_[static_cast<std::size_t>(&move - tiles_.moves.data())];
  }
  double moved(int unit) const;
  double rounds() const;
  double sums() const;
  double latency_of_step(std::size_t s) const;
  double steps_after() const;
  double issue() const;
  double head() const;
  double work_of_last_tile() const;
  double way_out() const;
  double reduction_steps() const;

  const Machine& machine_;
  const Mapping& mapping_;
  const TileCosts& tiles_;
  std::vector<double> loads_;  ///< per move
};

}  // namespace accord
