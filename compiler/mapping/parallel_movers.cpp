#include "compiler/mapping/parallel_movers.h"

#include <algorithm>
#include <vector>

#include "compiler/mapping/fills.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {
namespace {

/// Transfers of a use between two levels, and the movers that could make them.
struct Load {
  Hop* hop = nullptr;
  double cycles = 0;
  std::vector<Hop> movers;
};

bool has_choice(const Machine& machine, const Mapping& mapping) {
  return std::ranges::any_of(mapping.uses, [&](const Use& use) {
    return std::ranges::any_of(use.hops, [&](const Hop& hop) { return machine.elements.parallel(hop).size() > 1; });
  });
}

}  // namespace

std::optional<Mapping> on_parallel_movers(const SearchProblem& problem, const Mapping& mapping) {
  if (!has_choice(problem.machine, mapping)) return std::nullopt;
  Geometry geometry(problem.machine, problem.network, problem.work, problem.homes, mapping);
  const TileCosts costs = measure(problem.machine, geometry, problem.work, mapping);
  const Fills fills(mapping);
  Mapping result = mapping;
  std::vector<double> busy(problem.machine.architecture.units.size(), 0);
  std::vector<Load> loads;
  for (const TileCosts::Move& move : costs.moves) {
    const double cycles = move.cycles * static_cast<double>(fills.of(move.use, move.box));
    auto movers = problem.machine.elements.parallel(move.hop);
    if (movers.size() == 1) {
      busy[move.hop.unit] += cycles;
    } else {
      const Use& use = mapping.uses[move.use];
      const auto at = static_cast<std::size_t>(&hop_at(use, move.level) - use.hops.data());
      loads.push_back({&result.uses[move.use].hops[at], cycles, std::move(movers)});
    }
  }
  std::ranges::stable_sort(loads, [](const Load& a, const Load& b) { return a.cycles > b.cycles; });
  for (const Load& load : loads) {
    const auto least = std::ranges::min_element(load.movers, {}, [&](const Hop& hop) { return busy[hop.unit]; });
    busy[least->unit] += load.cycles;
    *load.hop = *least;
  }
  for (std::size_t u = 0; u < result.uses.size(); ++u) {
    if (result.uses[u].hops != mapping.uses[u].hops) return result;
  }
  return std::nullopt;
}

}  // namespace accord
