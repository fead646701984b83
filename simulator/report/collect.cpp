#include "simulator/report/collect.h"

#include <algorithm>

#include "archdsl/graph/rates.h"
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

template <typename Result>
void add_energy(const std::string& component, double pj, Result& result) {
  result.energy_pj += pj;
  result.energy_shares[component] += pj;
}

/// What components take in so many cycles whatever they do, in all.
template <typename Result>
double add_static_energy(const std::vector<ComponentCost>& components, Cycle cycles, Result& result) {
  double sum = 0;
  for (const ComponentCost& component : components) {
    const double pj = component.static_pj * static_cast<double>(cycles);
    if (pj == 0) continue;
    add_energy(component.name, pj, result);
    sum += pj;
  }
  return sum;
}

void add_totals(const RunState& run, const Layers::Totals& totals, LayerResult* layer, SimulateResult& result) {
  const Architecture& architecture = run.architecture;
  const std::vector<ComponentCost>& components = run.components;
  for (std::size_t l = 0; l < architecture.links.size(); ++l) {
    result.link_bytes[architecture.links[l].name] += totals.link_bytes[l];
    if (layer) layer->link_bytes[architecture.links[l].name] = totals.link_bytes[l];
  }
  for (std::size_t c = 0; c < components.size(); ++c) {
    const double pj = totals.energy_pj[c];
    if (pj == 0) continue;
    add_energy(components[c].name, pj, result);
    if (layer) add_energy(components[c].name, pj, *layer);
  }
  result.off_chip_bytes += totals.off_chip_bytes;
  if (!layer) return;
  layer->off_chip_bytes = totals.off_chip_bytes;
  layer->lane_macs = totals.lane_macs;
}

}  // namespace

SimulateResult collect_values(const RunState& run) {
  SimulateResult result;
  result.layers.resize(run.program.layers.size());
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    add_totals(run, run.layers.totals(static_cast<int>(i)), &result.layers[i], result);
  }
  add_totals(run, run.layers.outside(), nullptr, result);
  return result;
}

SimulateResult collect(RunState& run, Machine& machine, Cycle total) {
  SimulateResult result = collect_values(run);
  result.total_cycles = total;
  result.static_energy_pj = add_static_energy(run.components, total, result);
  const auto& boundaries = run.layers.boundaries();
  const std::int64_t queued = queued_cycles(run.architecture);
  Cycle before = 0;
  for (const Layers::Boundary& boundary : boundaries) {
    LayerResult& layer = result.layers[static_cast<std::size_t>(boundary.layer)];
    layer.cycles = boundary.end - before;
    layer.queued = 2 * queued;
    add_static_energy(run.components, layer.cycles, layer);
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
