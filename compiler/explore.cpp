#include "compiler/explore.h"

#include <algorithm>

#include "compiler/layer_search.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {
namespace {

/// Each part of divided work on its own element, all at once.
LayerChoice describe_found(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                           const Mapping& mapping) {
  LayerChoice choice;
  choice.mapping = mapping;
  choice.found = true;
  choice.footprint.assign(compilation.architecture.memories.size(), 0);
  const auto parts = parts_of(compilation.machine, mapping);
  const Machine& machine = shared.of(mapping);
  for (const auto& part : parts) {
    Geometry geometry(machine, compilation.network, layer.work, compilation.homes, part);
    const Cost cost = shipped_cost_model().cost(machine, geometry, layer.work, part);
    for (const auto& [unit, of_part] : cost.unit_cycles) {
      double& cycles = choice.cost.unit_cycles[unit];
      cycles = std::max(cycles, of_part);  // a part's cost of what all share counts what it does for all
    }
    const Traffic traffic = traffic_of(machine, geometry, layer.work, part);
    for (const auto& [route, bytes] : traffic.routes) choice.traffic.routes[route] += bytes;
    for (const auto& [capability, bytes] : traffic.capabilities) choice.traffic.capabilities[capability] += bytes;
    std::string error;
    const Fills fills(part);
    const auto copies = [&](int use, int level) { return fills.copies(use, level); };
    const auto needed = footprint(machine, part, tile_bytes(geometry, part, error), copies);
    for (const auto& [memory, bytes] : needed) {
      std::int64_t& most = choice.footprint[static_cast<std::size_t>(memory)];
      most = std::max(most, bytes);
    }
  }
  return choice;
}

/// The kept mappings first, then those that others of their capability outdid, then what was refused.
void search(const Compilation& compilation, SharedMachines& shared, LayerChoices& layer) {
  LayerSearch search = search_layer(compilation, shared, layer.plan);
  measure_kept(compilation, layer.plan, search);
  layer.divided = search.divided;
  std::vector<std::size_t> shown;
  for (const auto& found : search.kept) {
    layer.choices.push_back(describe_found(compilation, shared, layer.plan, found.mapping));
    shown.push_back(found.assignment);
  }
  for (const auto& found : search.all.found) {
    if (std::find(shown.begin(), shown.end(), found.assignment) != shown.end()) continue;
    layer.choices.push_back(describe_found(compilation, shared, layer.plan, found.mapping));
  }
  for (const auto& refused : search.all.refused) {
    LayerChoice choice;
    choice.mapping = layer.plan.mappings[refused.assignment];
    choice.reason = refused.reason;
    layer.choices.push_back(std::move(choice));
  }
  if (!search.kept.empty()) return;
  layer.plan.placement = Placement::host;
  layer.plan.reason = search.all.refused.empty() ? "no tiling fits" : search.all.refused.front().reason;
}

}  // namespace

std::vector<LayerChoices> explore(Compilation& compilation, const std::function<bool(const LayerChoices&)>& wanted) {
  compilation.lists_assignments = true;
  group_pass(compilation);
  place_pass(compilation);
  sums_pass(compilation);
  interleave_pass(compilation);
  columns_pass(compilation);
  layout_pass(compilation);
  SharedMachines shared(compilation.machine);
  std::vector<LayerChoices> layers;
  for (const auto& plan : compilation.layers) {
    LayerChoices layer;
    layer.plan = plan;
    layer.name = name_of(compilation.network, plan);
    for (const int op : plan.group.operators) {
      layer.op += (layer.op.empty() ? "" : "+") + compilation.network.operators[op].type;
    }
    if (!plan.mappings.empty()) {
      match_statement(compilation.architecture, plan.work, plan.mappings[0].steps[0].statement, &layer.rejections);
    }
    if (plan.placement == Placement::machine && (!wanted || wanted(layer))) search(compilation, shared, layer);
    layers.push_back(std::move(layer));
  }
  return layers;
}

void explore_chains(Compilation& compilation) {
  for (const auto pass : {group_pass, place_pass, sums_pass, interleave_pass, columns_pass, layout_pass, map_pass,
                          allocate_pass, fuse_pass})
    pass(compilation);
}

}  // namespace accord
