#include "compiler/mapping/step_bound.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdlib>
#include <map>
#include <utility>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/port_loads.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

/// A number of each dim of a capability.
using Sizes = boost::container::small_vector<std::int64_t, 8>;

/// Least cycles of one instruction, which loads the held operand `loads` or none (-1): its interval, a mover's set-up,
/// and a compute unit's reads of operands whose places are wired.
std::int64_t chunk_cycles(const Machine& machine, const Match& match, const Sizes& sizes, int loads) {
  const Unit& unit = machine.architecture.units[match.unit];
  const Capability& capability = machine.capability(match);
  Sizes values = sizes;
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (capability.operands[o].held) values.push_back(static_cast<int>(o) == loads ? 1 : 0);
  }
  const std::int64_t interval =
      unit.period.cycles(std::max<std::int64_t>(capability.interval.evaluate({values.data(), values.size()}), 0));
  if (unit.kind == UnitKind::mover) return std::max(interval, unit.period.cycles(unit.setup));
  return std::max(interval, port_cycles(machine.architecture, capability, {sizes.data(), sizes.size()}));
}

/// A statement's iteration space as the instructions of one assignment cover it: whole chunks of each dim and one that
/// remains, the other iterators as loops around.
class ChunkedStep {
 public:
  ChunkedStep(const Machine& machine, const StatementPlan& step, const std::vector<std::int64_t>& extents)
      : machine_(machine), step_(step), extent_(step.chains.size(), 1) {
    boost::container::small_vector<bool, 16> counted(extents.size(), false);
    for (std::size_t d = 0; d < extent_.size(); ++d) {
      for (const int it : step.chains[d]) {
        extent_[d] *= extents[it];
        counted[it] = true;
      }
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const int it = static_cast<int>(i);
      const auto& operands = step.match.operands;
      if (counted[i] || std::none_of(operands.begin(), operands.end(), [&](const auto& o) { return moves(o, it); })) {
        continue;
      }
      loops_.emplace_back(it, extents[i]);
    }
    for (const auto& dim : limits().dims) most_.push_back(std::max<std::int64_t>(dim.maximum, 1));
  }

  std::int64_t instructions() const {
    std::int64_t total = looped([](int) { return true; });
    for (std::size_t d = 0; d < extent_.size(); ++d) total *= ceil_div(extent_[d], most_[d]);
    return total;
  }

  std::int64_t cycles() const {
    std::int64_t total = cycles_by(most_);
    // An interval that does not fall with small chunks may take less where those of a dim are of about one size.
    for (std::size_t d = 0; d < most_.size(); ++d) {
      auto sizes = most_;
      sizes[d] = levelled(d);
      if (sizes[d] < most_[d]) total = std::min(total, cycles_by(sizes));
    }
    const Capability& capability = machine_.capability(step_.match);
    std::int64_t loading = 0;
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      if (capability.operands[o].held) loading = std::max(loading, load_cycles(static_cast<int>(o)));
    }
    return total + loading;
  }

 private:
  static bool moves(const OperandMatch& operand, int it) {
    return operand.kind == OperandMatch::Kind::access && depends(operand.access, it);
  }

  const RunLimits& limits() const { return *machine_.limits.run(step_.match.unit, step_.match.capability); }

  std::int64_t cycles_by(const Sizes& most) const {
    std::int64_t total = 0;
    for_each_chunk(most, [&](std::int64_t count, const auto& sizes) {
      total += count * chunk_cycles(machine_, step_.match, sizes, -1);
    });
    return total * looped([](int) { return true; }) - saved_by_opening(most);
  }

  int target() const { return machine_.capability(step_.match).program.statements.back().target.operand; }

  /// What it saves that the first instruction of each sum is another capability's: of the chunks of a sum, that of
  /// which this saves most.
  std::int64_t saved_by_opening(const Sizes& most) const {
    if (step_.opening < 0) return 0;
    const Match beginning = beginning_match(machine_, step_);
    const auto saved = [&](const Sizes& sizes) {
      return chunk_cycles(machine_, step_.match, sizes, -1) - chunk_cycles(machine_, beginning, sizes, -1);
    };
    return once_per_tile(target(), most, saved, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }

  /// Chunks of the dim as few as can be, and of about one size.
  std::int64_t levelled(std::size_t d) const {
    const std::int64_t multiple = std::max<std::int64_t>(limits().dims[d].multiple, 1);
    return ceil_div(ceil_div(extent_[d], ceil_div(extent_[d], most_[d])), multiple) * multiple;
  }

  template <typename Fn>
  std::int64_t looped(const Fn& counts) const {
    std::int64_t turns = 1;
    for (const auto& [it, extent] : loops_) turns *= counts(it) ? extent : 1;
    return turns;
  }

  /// fn(how often, extents of the dims) for every combination of whole chunks, of these sizes, and remaining ones.
  template <typename Fn>
  void for_each_chunk(const Sizes& most, const Fn& fn) const {
    Sizes sizes(extent_.size());
    visit_chunks(most, sizes, 0, 1, fn);
  }

  template <typename Fn>
  void visit_chunks(const Sizes& most, Sizes& sizes, std::size_t d, std::int64_t count, const Fn& fn) const {
    if (d == sizes.size()) {
      fn(count, sizes);
      return;
    }
    const std::int64_t whole = extent_[d] / most[d], rest = extent_[d] % most[d];
    for (const auto& [size, times] :
         {std::pair(most[d], whole), std::pair<std::int64_t, std::int64_t>(rest, rest > 0)}) {
      sizes[d] = size;
      if (times > 0) visit_chunks(most, sizes, d + 1, count * times, fn);
    }
  }

  /// What loading each of a held operand's tiles once adds: to that instruction of the tile which it delays least, a
  /// sum's first or another.
  std::int64_t load_cycles(int operand) const {
    const auto delayed = [&](const Match& match, const Sizes& sizes) {
      return chunk_cycles(machine_, match, sizes, operand) - chunk_cycles(machine_, match, sizes, -1);
    };
    const auto delay = [&](const Sizes& sizes) {
      return std::min(delayed(step_.match, sizes), delayed(beginning_match(machine_, step_), sizes));
    };
    return once_per_tile(operand, most_, delay, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }

  /// The sum over an operand's tiles of what one instruction of each makes, chosen by `better`; never less than 0.
  template <typename Made, typename Better>
  std::int64_t once_per_tile(int operand, const Sizes& most, const Made& made, const Better& better) const {
    const Access& pattern = access_of(machine_.capability(step_.match), operand);
    std::map<Sizes, std::pair<std::int64_t, std::int64_t>> tiles;  // by its chunks: number, what is made
    for_each_chunk(most, [&](std::int64_t count, const auto& sizes) {
      Sizes own;
      std::int64_t others = 1;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const bool moves = depends(pattern, static_cast<int>(d));
        own.push_back(moves ? sizes[d] : 0);
        if (!moves && sizes[d] == most[d]) others *= extent_[d] / most[d];
      }
      const auto [at, fresh] = tiles.try_emplace(own, count / others, made(sizes));
      if (!fresh) at->second.second = better(at->second.second, made(sizes));
    });
    std::int64_t total = 0;
    for (const auto& [own, tile] : tiles) total += tile.first * std::max<std::int64_t>(tile.second, 0);
    return total * looped([&](int it) { return moves(step_.match.operands[operand], it); });
  }

  const Machine& machine_;
  const StatementPlan& step_;
  Sizes extent_;                                                           ///< per dim
  Sizes most_;                                                             ///< per dim: of one instruction
  boost::container::small_vector<std::pair<int, std::int64_t>, 8> loops_;  ///< iterator, extent
};

/// How many units share a step's work.
std::int64_t units_of(const Machine& machine, const StatementPlan& step, std::int64_t most) {
  if (most == 1) return 1;
  return std::min(most,
                  static_cast<std::int64_t>(machine.elements.alike(step.match.unit, step.match.capability).size()));
}

/// Cycles that the off-chip bytes of the movers' operands need beside their instructions.
std::int64_t moved_cycles(const Machine& machine, const Mapping& mapping, std::int64_t units) {
  const StatementPlan& main = mapping.steps[0];
  const Unit& unit = machine.architecture.units[main.match.unit];
  if (unit.kind != UnitKind::mover || unit.link < 0) return 0;
  std::int64_t most = 0;
  for (const auto& use : mapping.uses) {
    if (use.step != 0 || use.depth != 0) continue;
    std::int64_t points = bytes(use.type);
    for (const auto& index : use.access.indices) points *= least_values(index, mapping.extent);
    const double width =
        bytes_per_cycle(machine.architecture.links[unit.link]) * static_cast<double>(units_of(machine, main, units));
    most = std::max(most, static_cast<std::int64_t>(static_cast<double>(points) / width));
  }
  return most;
}

std::int64_t issue_cycles(const Machine& machine, std::int64_t instructions) {
  const Controller& controller = machine.architecture.controller;
  return instructions / std::max(controller.issue_width, 1) * std::max(controller.issue_interval, 1);
}

}  // namespace

std::int64_t step_bound(const Machine& machine, const StatementPlan& main, const std::vector<std::int64_t>& extents,
                        std::int64_t units, Counts counts) {
  if (leaves_in_place(machine.capability(main.match))) return 0;
  const ChunkedStep step(machine, main, extents);
  const std::int64_t sharing = units_of(machine, main, units);
  const std::int64_t intervals = ceil_div(step.cycles(), sharing);
  return counts == Counts::intervals ? intervals : std::max(intervals, issue_cycles(machine, step.instructions()));
}

namespace {

std::int64_t instructions_of(const Machine& machine, const Mapping& mapping, const StatementPlan& step) {
  if (leaves_in_place(machine.capability(step.match))) return 0;
  return ChunkedStep(machine, step, mapping.extent).instructions();
}

}  // namespace

std::int64_t main_instructions(const Machine& machine, const Mapping& mapping) {
  return instructions_of(machine, mapping, mapping.steps[0]);
}

std::int64_t main_bound(const Machine& machine, const Mapping& mapping, std::int64_t units, Counts counts) {
  return std::max(step_bound(machine, mapping.steps[0], mapping.extent, units, counts),
                  moved_cycles(machine, mapping, units));
}

std::int64_t issue_bound(const Machine& machine, const Mapping& mapping) {
  std::int64_t instructions = -1;  // before the last one
  for (const StatementPlan& step : mapping.steps) instructions += instructions_of(machine, mapping, step);
  return issue_cycles(machine, std::max<std::int64_t>(instructions, 0));
}

std::int64_t compute_bound(const Machine& machine, const Mapping& mapping, std::int64_t units, Counts counts) {
  std::map<int, std::int64_t> busy;  // a unit does its steps one after another
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    busy[mapping.steps[s].match.unit] += s == 0 ? main_bound(machine, mapping, units, counts)
                                                : step_bound(machine, mapping.steps[s], mapping.extent, units, counts);
  }
  std::int64_t most = 0;
  for (const auto& [unit, cycles] : busy) most = std::max(most, cycles);
  return most;
}

double most_summed(const Machine& machine) {
  double most = 0;
  for (int u = 0; u < std::ssize(machine.architecture.units); ++u) {
    for (int c = 0; c < std::ssize(machine.architecture.units[u].capabilities); ++c) {
      Match match;
      match.unit = u;
      match.capability = c;
      if (machine.capability(match).program.statements.back().reduction != Reduction::add) continue;
      const auto alike = machine.elements.alike(u, c);
      if (alike.front() != std::pair(u, c)) continue;  // an array has hundreds
      const RunLimits* limits = machine.limits.run(u, c);
      if (limits == nullptr) continue;
      Sizes sizes;
      auto at_once = static_cast<double>(alike.size());
      for (const auto& dim : limits->dims) {
        sizes.push_back(std::max<std::int64_t>(dim.maximum, 1));
        at_once *= static_cast<double>(sizes.back());
      }
      const std::int64_t cycles = std::max<std::int64_t>(chunk_cycles(machine, match, sizes, -1), 1);
      most = std::max(most, at_once / static_cast<double>(cycles));
    }
  }
  return most;
}

std::int64_t least_values(const AffineIndex& index, const std::vector<std::int64_t>& extents) {
  auto terms = index.terms;
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::int64_t values = 1, span = 1;
  for (const auto& [it, coefficient] : terms) {
    values = coefficient >= span ? values * extents[it] : values + extents[it] - 1;
    span += std::abs(coefficient) * (extents[it] - 1);
  }
  return values;
}

}  // namespace accord
