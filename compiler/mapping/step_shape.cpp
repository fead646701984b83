#include "compiler/mapping/step_shape.h"

#include <algorithm>
#include <numeric>

namespace accord {
namespace {

/// Elements of the chain that lie together before the view's next block begins; 0: no blocks.
std::int64_t block_of(const UseView& view, const std::vector<int>& chain) {
  if (view.layout == nullptr) return 0;
  for (const auto& axis : view.layout->axes) {
    const LayoutGroup& group = view.layout->groups[axis.group];
    if (group.extent <= group.block) continue;
    for (const auto& term : axis.terms) {
      if (std::find(chain.begin(), chain.end(), term.first) != chain.end()) return group.block;
    }
  }
  return 0;
}

/// Greatest chunk of at most `maximum` that divides `blocks`, whatever the views' blocks have in common.
std::int64_t chunk_in_blocks(std::int64_t maximum, std::int64_t blocks) {
  std::int64_t chunk = std::min(maximum, blocks);
  while (blocks % chunk != 0) --chunk;
  return chunk;
}

/// Whether the view's address grows as the wires do.
bool agrees_with_wires(const Mapping& mapping, const UseView& view, const StepShape::Dim& dim, std::int64_t wired,
                       const Extents& box) {
  for (auto it = dim.counted.rbegin(); it != dim.counted.rend(); ++it) {
    if (box[*it] > 1) return view_step(mapping, view, *it) == wired;
  }
  return true;
}

/// Whether the loops that remain of a chain move the operand by whole words, as instructions address it.
bool loops_step_words(const Architecture& architecture, const Mapping& mapping, const UseView& view,
                      const std::vector<int>& chain, std::size_t counted, const Extents& box) {
  if (view.layout == nullptr) return true;
  const std::int64_t word = architecture.memories[mapping.uses[view.use].memory].word;
  for (std::size_t i = 0; i + counted < chain.size(); ++i) {
    const bool moves = box[chain[i]] > 1 && depends(mapping.uses[view.use].access, chain[i]);
    if (moves && view_step(mapping, view, chain[i]) % word != 0) return false;
  }
  return true;
}

/// Whether one stride per free step is enough for all dims that move along it.
bool strides_agree(const Mapping& mapping, const Capability& capability, const StepShape& shape, const UseView& view,
                   const Extents& box) {
  const auto& steps = capability.operands[mapping.uses[view.use].operand].steps;
  for (std::size_t p = 0; p < steps.size(); ++p) {
    if (steps[p].kind == Step::Kind::free && !free_step(mapping, capability, shape, view, p, box).agrees) return false;
  }
  return true;
}

/// Number of innermost iterators of the chain over which the view's address grows evenly.
std::size_t even_suffix(const Mapping& mapping, const UseView& view, const std::vector<int>& chain,
                        const Extents& box) {
  std::int64_t next = -1;  // step that the next outer iterator must have
  std::size_t count = 0;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it, ++count) {
    const std::int64_t step = view_step(mapping, view, *it);
    if (box[*it] > 1) {
      if (next >= 0 && step != next) return count;
      next = step * box[*it];
    }
  }
  return count;
}

}  // namespace

std::int64_t view_step(const Mapping& mapping, const UseView& view, int iterator) {
  if (view.layout != nullptr) return iterator_step(*view.layout, iterator);
  return access_step(*view.strides, mapping.uses[view.use].access, iterator);
}

FreeStep free_step(const Mapping& mapping, const Capability& capability, const StepShape& shape, const UseView& view,
                   std::size_t position, const Extents& box) {
  FreeStep result;
  for (const auto& [dim, coefficient] : access_of(capability, mapping.uses[view.use].operand).indices[position].terms) {
    const auto& counted = shape.dims[dim].counted;
    const auto moving = std::find_if(counted.rbegin(), counted.rend(), [&](int it) { return box[it] > 1; });
    if (moving == counted.rend()) continue;
    const std::int64_t step = view_step(mapping, view, *moving);
    const std::int64_t bytes = step / coefficient;
    result.agrees = result.agrees && step % coefficient == 0 && result.bytes.value_or(bytes) == bytes;
    result.bytes = bytes;
  }
  return result;
}

StepShape shape_step(const Machine& machine, const Mapping& mapping, int step, const std::vector<UseView>& views,
                     const Extents& box) {
  StepShape shape;
  const StatementPlan& plan = mapping.steps[step];
  const RunLimits& limits = *machine.limits.run(plan.match.unit, plan.match.capability);
  std::vector<bool> counted(box.size(), false);
  for (std::size_t d = 0; d < plan.chains.size(); ++d) {
    const auto& chain = plan.chains[d];
    std::size_t length = chain.size();
    std::vector<std::int64_t> blocks;
    std::int64_t common = 0;
    StepShape::Dim dim;
    dim.maximum = limits.dims[d].maximum;
    for (const auto& view : views) {
      const Use& use = mapping.uses[view.use];
      const bool there =
          !use.filled && std::any_of(chain.begin(), chain.end(), [&](int it) { return depends(use.access, it); });
      if (!there) continue;
      length = std::min(length, even_suffix(mapping, view, chain, box));
      if (const std::int64_t here = block_of(view, chain); here != 0) blocks.push_back(here);
    }
    for (const std::int64_t block : blocks) common = std::gcd(common, block);
    if (common != 0) dim.maximum = chunk_in_blocks(dim.maximum, common);
    dim.multiple = std::max(limits.dims[d].multiple, limits.dims[d].minimum);
    dim.counted.assign(chain.end() - static_cast<std::ptrdiff_t>(length), chain.end());
    for (const int it : dim.counted) {
      dim.flat *= box[it];
      counted[it] = true;
    }
    if (common != 0 && dim.maximum % dim.multiple != 0) {
      shape.error = "blocks of lanes are no multiple of what the dim counts at least";
    }
    if (dim.flat % dim.multiple != 0) shape.error = "a tile counts less than the dim's multiple";
    const auto ragged = [&](std::int64_t block) { return dim.flat % block != 0; };
    if (length < chain.size() && std::any_of(blocks.begin(), blocks.end(), ragged)) {
      shape.error = "blocks of lanes do not line up with the loops around them";
    }
    for (const auto& view : views) {
      const Use& use = mapping.uses[view.use];
      const std::int64_t wired = wired_step(machine.capability(plan.match), use.operand, static_cast<int>(d));
      if (!use.filled && !loops_step_words(machine.architecture, mapping, view, chain, length, box)) {
        shape.error = "loops around the lanes would begin inside a word";
      }
      if (!use.filled && wired != 0 && !agrees_with_wires(mapping, view, dim, wired, box)) {
        shape.error = "neighbours in memory are not as far apart as the capability's wires";
      }
    }
    shape.dims.push_back(std::move(dim));
  }
  for (const auto& view : views) {
    if (!strides_agree(mapping, machine.capability(plan.match), shape, view, box)) {
      shape.error = "dims that share an index of the capability would need different strides";
    }
  }
  const auto occurring = [&](int it) {
    return std::any_of(views.begin(), views.end(),
                       [&](const UseView& view) { return depends(mapping.uses[view.use].access, it); });
  };
  for (std::size_t it = 0; it < box.size(); ++it) {
    if (!counted[it] && box[it] > 1 && occurring(static_cast<int>(it))) shape.loops.push_back(static_cast<int>(it));
  }
  return shape;
}

}  // namespace accord
