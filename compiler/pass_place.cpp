#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/compilation.h"
#include "compiler/layer_parts.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/mapping/views.h"
#include "compiler/memory_sharing.h"
#include "compiler/part_copies.h"

namespace accord {
namespace {

bool only_rearranges(const Compilation& compilation, const Group& group) {
  const Operator& op = compilation.network.operators[group.operators[0]];
  if (group.operators.size() != 1) return false;
  return op.type == "Concat" || may_be_view(compilation.network, op, compilation.homes);
}

/// Without hardware loops each is kept.
constexpr std::int64_t most_instructions = 1 << 24;

/// Leaves out assignments that would make the program too long.
void drop_long(const Compilation& compilation, LayerPlan& layer) {
  if (compilation.machine.rolls || layer.mappings.empty()) return;
  std::int64_t room = most_instructions;
  for (const LayerPlan& other : compilation.layers) {
    const bool same = other.group.operators.front() == layer.group.operators.front();  // placed before, otherwise
    if (!same) room -= other.instructions;
  }
  room = std::clamp<std::int64_t>(room, 0, most_instructions_of_layer);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::erase_if(layer.mappings, [&](const Mapping& mapping) {
    const std::int64_t instructions = main_instructions(compilation.machine, mapping);
    least = std::min(least, instructions);
    return instructions > room;
  });
  if (layer.mappings.empty()) {
    layer.turned_down = {
        fmt::format("takes {} instructions at least, and the program has room for {} more", least, room)};
  } else {
    layer.instructions = main_instructions(compilation.machine, layer.mappings.front());
  }
}

/// Many times what a search tries, should most have no legal tiles.
constexpr std::size_t most_kept = 4096;

}  // namespace

void keep_promising(const Compilation& compilation, LayerPlan& layer) {
  if (compilation.lists_assignments || !compilation.options.searcher->leaves_choice()) return;
  std::map<std::tuple<std::pair<int, int>, bool, int>, std::size_t> count;
  std::erase_if(layer.mappings, [&](const Mapping& mapping) {
    return ++count[{main_capability(mapping), mapping.form != nullptr, mapping.detour}] > most_kept;
  });
  layer.mappings.shrink_to_fit();
}

void assign(const Compilation& compilation, LayerPlan& layer) {
  auto& reasons = layer.turned_down;
  layer.mappings = candidates(compilation.machine, compilation.network, layer.work, compilation.homes, reasons);
  drop_long(compilation, layer);
  if (layer.mappings.empty()) {
    layer.placement = Placement::host;
    layer.reason = reasons.empty() ? "no legal assignment of its loops" : fmt::format("{}", fmt::join(reasons, "; "));
    const std::string& in_float = compilation.network.operators[layer.group.operators.front()].in_float;
    if (!in_float.empty()) layer.reason = fmt::format("in fp32, since {}; {}", in_float, layer.reason);
    return;
  }
  layer.bound = bound_of(compilation.machine, compilation.network, layer.work, compilation.homes, layer.mappings);
  keep_promising(compilation, layer);
}

namespace {

/// Layers that only rearrange are left to the allocation, which lets them share memory; those that cannot are work.
void leave_to_allocation(Compilation& compilation) {
  auto& layers = compilation.layers;
  copy_parts(compilation);
  for (auto& layer : layers) {
    if (only_rearranges(compilation, layer.group)) layer.placement = Placement::memory;
  }
  const std::vector<bool> copies = foresee_strides(compilation.network, layers, compilation.homes);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Operator& op = compilation.network.operators[static_cast<std::size_t>(layers[l].group.operators[0])];
    if (copies[l] && shows_input(op)) layers[l].placement = Placement::machine;
  }
}

/// Now that it is known what the host makes, it writes images as their readers want them (MemorySharing): those look
/// for their assignments again.
void follow_host(Compilation& compilation) {
  const Homes before = compilation.homes;
  foresee_strides(compilation.network, compilation.layers, compilation.homes);
  for (LayerPlan& layer : compilation.layers) {
    if (layer.placement != Placement::machine) continue;
    const bool moved = std::ranges::any_of(layer.work.operands, [&](const WorkOperand& operand) {
      const TensorId id = operand.tensor;
      return id != no_tensor && before[id].strides != compilation.homes[id].strides;
    });
    if (!moved) continue;
    layer.instructions = 0;
    place(compilation, layer);
  }
}

}  // namespace

void place_pass(Compilation& compilation) {
  auto& layers = compilation.layers;
  SharedMachines shared(compilation.machine);
  leave_to_allocation(compilation);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    compilation.progress("place", l, layers.size());
    if (layers[l].placement == Placement::memory) continue;
    place(compilation, layers[l]);
    if (layers[l].placement == Placement::host && only_rearranges(compilation, layers[l].group))
      layers[l].reason = fmt::format("rearranges data that cannot share memory; {}", layers[l].reason);
    std::vector<LayerPlan> apart = parts_of_layer(compilation, shared, layers[l]);
    if (apart.empty()) continue;
    const auto at = layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(l));
    layers.insert(at, std::make_move_iterator(apart.begin()), std::make_move_iterator(apart.end()));
    l += apart.size() - 1;
  }
  follow_host(compilation);
}

}  // namespace accord
