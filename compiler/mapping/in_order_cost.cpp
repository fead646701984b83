#include "compiler/mapping/in_order_cost.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"

namespace accord {

InOrderCost::InOrderCost(const Machine& machine, const Mapping& mapping, const TileCosts& tiles, const Fills& fills)
    : machine_(machine),
      mapping_(mapping),
      tiles_(tiles),
      fills_(fills),
      reduction_steps_(reduction_steps()),
      rounds_(rounds()) {}

/// Instructions one after another in which the reduction goes on within a tile of the innermost level.
double InOrderCost::reduction_steps() const {
  const StatementPlan& main = mapping_.steps[0];
  const Use& target = mapping_.uses[target_use(mapping_)];
  const auto& dims = machine_.limits.run(main.match.unit, main.match.capability)->dims;
  const auto& tile = mapping_.tile.back();
  std::vector<bool> counted(tile.size(), false);
  std::int64_t steps = 1;
  for (std::size_t d = 0; d < main.chains.size(); ++d) {
    std::int64_t flat = 1;
    for (const int it : main.chains[d]) {
      counted[it] = true;
      if (!depends(target.access, it)) flat *= tile[it];
    }
    steps *= ceil_div(flat, dims[d].maximum);
  }
  for (std::size_t it = 0; it < tile.size(); ++it) {
    if (!counted[it] && !depends(target.access, static_cast<int>(it))) steps *= tile[it];
  }
  return static_cast<double>(steps);
}

/// Of the steps that take turns with the main one on its unit.
double InOrderCost::steps_after() const {
  double cycles = 0;
  for (std::size_t s = 1; s < tiles_.step_cycles.size(); ++s) {
    if (mapping_.steps[s].match.unit == mapping_.steps[0].match.unit) cycles += tiles_.step_cycles[s];
  }
  return cycles;
}

/// Cycles over the whole work that sums need from the load of their initial values to the last step that reads them:
/// the instructions of one sum stand as far apart as all sums of the tile have one each. Of initial values for several
/// instructions, the first reads words from all over the transfer.
double InOrderCost::sums() const {
  const int level = target_level(mapping_);
  if (level < 0) return 0;
  const int target = target_use(mapping_);
  const auto tiles = static_cast<double>(fills_.of(target, level));
  double steps = reduction_steps_;
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
    if (depends(mapping_.uses[target].access, static_cast<int>(it))) continue;
    for (int l = 0; l < mapping_.levels; ++l) {
      steps *= static_cast<double>(trips(mapping_, l, static_cast<int>(it)));
    }
  }
  const double readers = std::max(tiles_.step_instructions[0] / tiles / steps, 1.0);
  double round = tiles_.step_cycles[0] / tiles * (steps - 1) / steps + 1 + tiles_.fixed->step_latency[0];
  for (const auto& move : tiles_.moves) {
    const Use& use = mapping_.uses[move.use];
    if (use.role == UseRole::start && move.level + 1 == use.depth) {
      round += move.latency + 1 + alone(move) * (1 - 1 / readers);
    }
  }
  for (std::size_t s = 1; s < tiles_.step_cycles.size(); ++s) {
    if (tiles_.step_instructions[s] > 0) {
      round += tiles_.step_cycles[s] / tiles_.step_instructions[s] + tiles_.fixed->step_latency[s];
    }
  }
  return tiles * round / fills_.copies(target, level);
}

/// Cycles over the whole work that words need between two loads: until the value is there, while instructions read it,
/// until the last reader is done. A tile of several reduction steps holds each word for one of them only.
double InOrderCost::rounds() const {
  const double around = tiles_.fixed->step_latency[0];
  double most = 0;
  for (const auto& move : tiles_.moves) {
    const Use& use = mapping_.uses[move.use];
    if (use.step != 0 || use.role != UseRole::input || loads(move) <= 1) continue;
    const bool innermost = move.level + 1 == mapping_.levels;
    const double used =
        innermost ? tiles_.step_cycles[0] / reduction_steps_ : tiles_.step_cycles[0] + alone(move) * loads(move);
    const double round = loads(move) * (move.latency + 1 + around) + used;
    most = std::max(most, round / fills_.copies(move.use, move.level));
  }
  return most;
}

/// Of a mover's transfers: those that come at once are done one after another, stores behind loads.
double InOrderCost::longest_latency(int unit) const {
  double longest = 0;
  for (const auto& move : tiles_.moves) {
    if (move.hop.unit == unit) longest = std::max(longest, move.latency);
  }
  return longest;
}

/// Cycles over the whole work that a tile of results needs from its first word, through those that steps write one
/// after another, until the last is on its way and the next may be written.
double InOrderCost::results() const {
  double most = 0;
  for (const auto& move : tiles_.moves) {
    const Use& use = mapping_.uses[move.use];
    if (use.role != UseRole::output || loads(move) <= 1) continue;
    double writers = tiles_.step_instructions[use.step];
    for (const auto& inner : tiles_.moves) {
      if (inner.use == move.use && inner.level == move.level + 1) writers = loads(inner);
    }
    writers = std::max(writers / loads(move), 1.0);
    const double written = (tiles_.step_cycles[0] + steps_after()) * (1 - 1 / writers);
    most = std::max(most, (written + loads(move) * (longest_latency(move.hop.unit) + alone(move))) /
                              fills_.copies(move.use, move.level));
  }
  return most;
}

double InOrderCost::issue() const {
  double instructions = 0;
  for (const auto& move : tiles_.moves) instructions += move.pieces * loads(move);
  for (const double step : tiles_.step_instructions) instructions += step;
  const Controller& controller = machine_.architecture.controller;
  return instructions / std::max(controller.issue_width, 1) * std::max(controller.issue_interval, 1);
}

/// Until the main statement's first tiles are there.
double InOrderCost::head() const {
  ById<double> movers;
  double latency = 0;
  for (const auto& move : tiles_.moves) {
    const Use& use = mapping_.uses[move.use];
    if (use.step != 0 || use.role == UseRole::output || move.level != 0) continue;
    movers[move.hop.unit] += alone(move);
    latency = std::max(latency, move.latency);
  }
  return most_of(movers) + latency;
}

/// All steps over what the last tile brings.
double InOrderCost::work_of_last_tile() const {
  double tiles = 1;
  for (const auto& move : tiles_.moves) {
    const Use& use = mapping_.uses[move.use];
    if (use.step == 0 && use.role == UseRole::input && move.level == 0) tiles = std::max(tiles, loads(move));
  }
  double work = std::max(rounds_, tiles_.step_cycles[0]);
  for (std::size_t s = 1; s < tiles_.step_cycles.size(); ++s) work += tiles_.step_cycles[s];
  return work / tiles;
}

/// The last tile of results on its way off chip.
double InOrderCost::way_out() const {
  double cycles = 0;
  for (const auto& move : tiles_.moves) {
    if (mapping_.uses[move.use].role == UseRole::output) cycles += alone(move) + move.latency;
  }
  return cycles;
}

/// Transfers of a mover; each holds the next one up for its set-up, as the controller waits until the mover takes it.
double InOrderCost::moved(int unit) const {
  const Unit& mover = machine_.architecture.units[unit];
  const auto setup = static_cast<double>(mover.period.cycles(mover.setup));
  double cycles = 0;
  for (const auto& move : tiles_.moves) {
    if (move.hop.unit == unit) cycles += std::max(move.cycles, move.pieces * setup) * loads(move);
  }
  return cycles;
}

/// Of tiles that stay, what no pass hides. Where loops can roll, such code is straight and stands against short code:
/// its schedule shows that.
double InOrderCost::exposed(double busy) const {
  if (machine_.rolls) return 0;
  double most = 0;
  for (const auto& move : tiles_.moves) {
    if (move.level > 0) continue;
    most = std::max(most, fills_.exposed(move.use, loads(move), move.cycles * loads(move), busy));
  }
  return most;
}

double InOrderCost::cycles(const ById<double>& unit_cycles) const {
  const double inside = std::max({rounds_ + steps_after(), sums(), results(), issue(), most_of(unit_cycles)});
  double off_chip = 0;
  for (const auto& move : tiles_.moves) {
    if (move.level == 0) off_chip = std::max(off_chip, move.latency + moved(move.hop.unit));
  }
  return std::max(head() + inside, off_chip + work_of_last_tile()) + exposed(std::max(inside, off_chip)) + way_out();
}

}  // namespace accord
