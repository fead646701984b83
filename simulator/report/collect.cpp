#include "simulator/report/collect.h"

#include <algorithm>

#include "simulator/report/invariants.h"

namespace accord::sim {

namespace {

StallLeaves named(const Leaves& leaves, const LeafCycles& counts) {
  StallLeaves result;
  for (const auto& [leaf, count] : counts) {
    if (count != 0) result.emplace(leaves.name(static_cast<std::size_t>(leaf)), count);
  }
  return result;
}

void add(StallLeaves& sum, const StallLeaves& part) {
  for (const auto& [leaf, count] : part) sum[leaf] += count;
}

void add_totals(const Architecture& architecture, const Layers::Totals& totals, LayerResult* layer,
                SimulateResult& result) {
  for (std::size_t l = 0; l < architecture.links.size(); ++l) {
    result.link_bytes[architecture.links[l].name] += totals.link_bytes[l];
    if (layer) layer->link_bytes[architecture.links[l].name] = totals.link_bytes[l];
  }
  result.energy_pj += totals.energy_pj;
  result.off_chip_bytes += totals.off_chip_bytes;
  if (!layer) return;
  layer->off_chip_bytes = totals.off_chip_bytes;
  layer->energy_pj = totals.energy_pj;
  layer->lane_macs = totals.lane_macs;
}

}  // namespace

SimulateResult collect_values(const RunState& run) {
  SimulateResult result;
  result.layers.resize(run.program.layers.size());
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    add_totals(run.architecture, run.layers.totals(static_cast<int>(i)), &result.layers[i], result);
  }
  add_totals(run.architecture, run.layers.outside(), nullptr, result);
  return result;
}

SimulateResult collect(RunState& run, Machine& machine, Cycle total) {
  SimulateResult result = collect_values(run);
  result.total_cycles = total;
  const auto& boundaries = run.layers.boundaries();
  Cycle before = 0;
  for (const Layers::Boundary& boundary : boundaries) {
    LayerResult& layer = result.layers[static_cast<std::size_t>(boundary.layer)];
    layer.cycles = boundary.end - before;
    const Layers::Totals& totals = run.layers.totals(boundary.layer);
    if (totals.begin != unknown) layer.overlap = std::max<Cycle>(before - totals.begin, 0);
    if (totals.computes != unknown) layer.compute_overlap = std::max<Cycle>(before - totals.computes, 0);
    before = boundary.end;
  }
  for (const Machine::Component& component : machine.components()) {
    const auto& stretches = component.account->by_boundary();
    for (std::size_t b = 0; b < stretches.size(); ++b) {
      const StallLeaves leaves = named(run.leaves, stretches[b]);
      add(result.stalls[component.name], leaves);
      if (b < boundaries.size())
        result.layers[static_cast<std::size_t>(boundaries[b].layer)].stalls[component.name] = leaves;
    }
  }
  if (!run.hazards.fatal) result.broken_invariants = broken_invariants(run, machine, result);
  return result;
}

}  // namespace accord::sim
