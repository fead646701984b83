#include "simulator/report/invariants.h"

#include <fmt/format.h>

#include <cmath>

namespace accord::sim {

namespace {

using Broken = std::vector<std::string>;

void check_leaves(const std::string& whose, const std::map<std::string, StallLeaves>& stalls, Cycle cycles,
                  Broken& broken) {
  for (const auto& [component, leaves] : stalls) {
    Cycle sum = 0;
    for (const auto& [leaf, count] : leaves) {
      sum += count;
      if (count < 0) broken.push_back(fmt::format("{}: {} has {} cycles of '{}'", whose, component, count, leaf));
    }
    if (sum != cycles)
      broken.push_back(fmt::format("{}: the leaves of {} sum to {}, not to {} cycles", whose, component, sum, cycles));
  }
}

/// All energy is some component's; sums in another order differ by their rounding.
void check_energy(const std::string& whose, double pj, const std::map<std::string, double>& shares, Broken& broken) {
  double sum = 0;
  for (const auto& [component, share] : shares) {
    sum += share;
    if (share < 0) broken.push_back(fmt::format("{}: {} has {} pJ", whose, component, share));
  }
  if (std::abs(sum - pj) > 1e-9 * pj)
    broken.push_back(fmt::format("{}: the components' energies sum to {}, not to {} pJ", whose, sum, pj));
}

/// That pass a link in so many cycles.
std::int64_t most_bytes(const Architecture& architecture, const Link& link, Cycle cycles) {
  const auto memories = static_cast<std::int64_t>(architecture.memories.size());
  const std::int64_t ways = link.crossbar ? memories : link.duplex ? 2 : 1;
  return link.width * (cycles * link.period.denominator / link.period.numerator + 1) * ways;
}

}  // namespace

std::vector<std::string> broken_invariants(const RunState& run, const Machine& machine, const SimulateResult& result) {
  Broken broken;
  check_leaves("run", result.stalls, result.total_cycles, broken);
  check_energy("run", result.energy_pj, result.energy_shares, broken);
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const Layer& layer = run.program.layers[i];
    const LayerResult& measured = result.layers[i];
    check_leaves(layer.name, measured.stalls, measured.cycles, broken);
    const Layers::Totals& totals = run.layers.totals(static_cast<int>(i));
    // Its first operations may run beside the last of the layer before.
    const Cycle span = totals.begin == unknown ? 0 : totals.end - totals.begin;
    if (totals.begin != unknown && span + measured.queued < layer.bound_cycles) {
      broken.push_back(fmt::format("{}: {} cycles from its first operation to its last are below the bound of {}",
                                   layer.name, span, layer.bound_cycles));
    }
    const std::int64_t moved = totals.off_chip_bytes;
    if (moved < layer.compulsory_bytes) {
      broken.push_back(fmt::format("{}: {} off-chip bytes are fewer than the compulsory {}", layer.name, moved,
                                   layer.compulsory_bytes));
    }
    check_energy(layer.name, measured.energy_pj, measured.energy_shares, broken);
    if (measured.lane_macs < 0) broken.push_back(layer.name + ": a counter is negative");
  }
  for (std::size_t l = 0; l < run.architecture.links.size(); ++l) {
    const Link& link = run.architecture.links[l];
    const std::int64_t passed = machine.datapath().link_bytes(l);
    if (passed > most_bytes(run.architecture, link, result.total_cycles)) {
      broken.push_back(
          fmt::format("{}: {} bytes in {} cycles are above its peak", link.name, passed, result.total_cycles));
    }
  }
  return broken;
}

}  // namespace accord::sim
