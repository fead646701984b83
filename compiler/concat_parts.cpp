#include "compiler/concat_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/memory_sharing.h"
#include "compiler/part_copies.h"

namespace accord {
namespace {

/// Whether layers that touch the part may gain more than its copy takes, were its rows not torn apart in the whole.
bool may_lie_apart(const Compilation& compilation, LayoutCost& cost, TensorId part) {
  if (compilation.network.tensor(part).is_constant() || cost.owner(part) != part) return false;
  double gained = 0;
  for (const std::size_t l : cost.touching(part)) {
    const LayerPlan& layer = compilation.layers[l];
    if (layer.placement == Placement::machine) gained += cost.gain(layer, part);
  }
  return gained > cost.least_copying(part);
}

/// Whether it takes fewer cycles, and is done. `changed`: layers that touch what lies otherwise then.
bool weigh_part(Compilation& compilation, LayoutCost& cost, std::size_t concat, TensorId part,
                std::vector<std::size_t>& changed) {
  const Network& network = compilation.network;
  auto& layers = compilation.layers;
  const std::string what = fmt::format("{} apart from {}", network.tensor(part).name,
                                       network.tensor(cost.operator_of(layers[concat]).outputs[0]).name);
  Home apart;
  apart.order = compilation.homes[part].order;
  settle(apart, network.tensor(part).shape, network.tensor(part).type);
  if (!copy_part(compilation, concat, part, apart)) return false;
  layers[concat].placement = Placement::machine;
  Homes homes = compilation.homes;
  auto copies = foresee_strides(network, layers, homes);
  std::vector<std::size_t> affected = cost.moved_layers(homes);
  std::erase(affected, concat);
  const double cycles_now = cost.cycles(affected);
  std::swap(homes, compilation.homes);
  assign(compilation, layers[concat]);
  const bool possible = layers[concat].placement == Placement::machine && !copies[concat + 1];
  const double copying = possible ? cost.cycles(layers[concat]) : LayoutCost::never;
  std::vector<LayerPlan> plans;
  const double cycles_then = copying + cost.cycles_with(affected, cost.worth(cycles_now) - copying, plans);
  if (cycles_then < cost.worth(cycles_now)) {
    cost.take(affected, std::move(plans), std::move(copies));
    compilation.layouts.push_back(
        fmt::format("chosen: {}: {:.0f} cycles instead of {:.0f}", what, cycles_then, cycles_now));
    changed = std::move(affected);
    return true;
  }
  std::swap(homes, compilation.homes);
  undo_copy(compilation, concat);
  compilation.layouts.push_back(fmt::format("refused: {}", what));
  return false;
}

}  // namespace

PartsApart leave_parts_apart(Compilation& compilation, LayoutCost& cost, std::size_t concat) {
  PartsApart result;
  const std::vector<TensorId> parts = cost.operator_of(compilation.layers[concat]).inputs;
  for (const TensorId part : parts) {
    const std::size_t at = concat + result.copies;
    if (compilation.layers[at].placement != Placement::memory || cost.copies()[at]) break;
    std::vector<std::size_t> changed;
    if (!may_lie_apart(compilation, cost, part) || !weigh_part(compilation, cost, at, part, changed)) continue;
    ++result.copies;
    for (std::size_t& l : result.changed) l += l >= at ? 1 : 0;
    result.changed.insert(result.changed.end(), changed.begin(), changed.end());
  }
  return result;
}

}  // namespace accord
