#pragma once

#include "compiler/mapping/by_id.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {

/// What limits a machine that begins operations in program order and keeps order word by word: issue slots; and how
/// soon a word can be loaded again, since each is free as soon as its own last reader is done.
class InOrderCost {
 public:
  InOrderCost(const Machine& machine, const Mapping& mapping, const TileCosts& tiles, const Fills& fills);

  /// Until the last result is off chip: the greatest, over movers and compute units, of what has to come before, what
  /// the unit itself takes and what is left to do after. `unit_cycles`: of each unit, all its instructions.
  double cycles(const ById<double>& unit_cycles) const;

 private:
  /// How often a move is done.
  double loads(const TileCosts::Move& move) const { return static_cast<double>(fills_.of(move.use, move.box)); }
  /// Of its cycles, those that it takes where its mover was idle.
  static double alone(const TileCosts::Move& move) { return move.cycles - move.hurry; }
  double moved(int unit) const;
  double longest_latency(int unit) const;
  double rounds() const;
  double sums() const;
  double results() const;
  double steps_after() const;
  double issue() const;
  double exposed(double busy) const;
  double head() const;
  double work_of_last_tile() const;
  double way_out() const;
  double reduction_steps() const;

  const Machine& machine_;
  const Mapping& mapping_;
  const TileCosts& tiles_;
  const Fills& fills_;
  const double reduction_steps_, rounds_;
};

}  // namespace accord
