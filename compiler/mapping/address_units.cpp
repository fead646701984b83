#include "compiler/mapping/address_units.h"

#include <algorithm>
#include <numeric>

#include "archdsl/tensor/rounding.h"

namespace accord {

std::int64_t home_unit(const Machine& machine, const Mapping& mapping, const Use& use) {
  if (use.depth == 0) {
    const Match& match = mapping.steps[use.step].match;
    return machine.limits.run(match.unit, match.capability)->units[use.operand];
  }
  const Hop& hop = hop_at(use, 0);
  const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
  return use.role == UseRole::output ? limits.target_unit : limits.source_unit;
}

std::int64_t place_unit(const Machine& machine, const Mapping& mapping, int memory) {
  std::int64_t unit = 1;
  for (const Use& use : mapping.uses) {
    const Match& match = mapping.steps[use.step].match;
    if (use.memory == memory) {
      unit = std::lcm(unit, machine.limits.run(match.unit, match.capability)->units[use.operand]);
    }
    for (const Hop& hop : use.hops) {
      const Route& route = machine.architecture.units[hop.unit].routes[hop.route];
      const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
      if (route.source == memory) unit = std::lcm(unit, limits.source_unit);
      if (route.target == memory) unit = std::lcm(unit, limits.target_unit);
    }
  }
  return unit;
}

Region place_region(const Machine& machine, const Mapping& mapping, int memory) {
  const Region all = region_of(machine.architecture, mapping, memory);
  const std::int64_t unit = place_unit(machine, mapping, memory), base = round_up(all.base, unit);
  return {base, std::max<std::int64_t>((all.base + all.bytes) / unit * unit - base, 0)};
}

bool tiles_begin_at_units(const Machine& machine, const Mapping& mapping, int use, const HomeStrides& strides) {
  const Use& u = mapping.uses[use];
  const std::int64_t unit = home_unit(machine, mapping, u);
  if (unit == 1) return true;
  const UseView view{use, nullptr, &strides};
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
    const std::int64_t step = view_step(mapping, view, static_cast<int>(it));
    std::int64_t whole = mapping.extent[it];
    for (int level = 0; level < mapping.levels; ++level) {
      if (mapping.tile[level][it] < whole && step * mapping.tile[level][it] % unit != 0) return false;
      whole = mapping.tile[level][it];
    }
  }
  return true;
}

bool parts_begin_at_units(const Machine& machine, const Mapping& mapping, const Use& use) {
  const Match& match = mapping.steps[use.step].match;
  for (int level = 1; level < mapping.levels; ++level) {
    if (!use.dense && !(use.as_home && level < use.depth)) continue;
    std::int64_t unit = machine.limits.run(match.unit, match.capability)->units[use.operand];
    if (level < use.depth) {
      const Hop& hop = hop_at(use, level);
      const RouteLimits& limits = *machine.limits.route(hop.unit, hop.route);
      unit = use.role == UseRole::output ? limits.target_unit : limits.source_unit;
    }
    if (unit == 1) continue;
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      const bool cut = mapping.tile[level][it] < mapping.tile[level - 1][it];
      if (cut && depends(use.access, static_cast<int>(it))) return false;
    }
  }
  return true;
}

namespace {

/// Whether what the operand's free steps must be is a multiple of the unit.
bool steps_by_units(const Machine& machine, const Mapping& mapping, const UseView& view, const StepShape& shape,
                    const Extents& box, std::int64_t unit) {
  const Use& use = mapping.uses[view.use];
  const Capability& capability = machine.capability(mapping.steps[use.step].match);
  const auto& steps = capability.operands[use.operand].steps;
  for (std::size_t p = 0; p < steps.size(); ++p) {
    if (steps[p].kind != Step::Kind::free) continue;
    if (free_step(mapping, capability, shape, view, p, box).bytes.value_or(0) % unit != 0) return false;
  }
  return true;
}

}  // namespace

bool instructions_begin_at_units(const Machine& machine, const Mapping& mapping, const UseView& view,
                                 const StepShape& shape, const Extents& box) {
  const Use& use = mapping.uses[view.use];
  const Match& match = mapping.steps[use.step].match;
  const RunLimits& limits = *machine.limits.run(match.unit, match.capability);
  const std::int64_t unit = limits.units[use.operand], step_unit = use.dense ? unit : limits.steps[use.operand];
  if (step_unit != 1 && !steps_by_units(machine, mapping, view, shape, box, step_unit)) return false;
  if (unit == 1) return true;
  const bool loops = std::all_of(shape.loops.begin(), shape.loops.end(),
                                 [&](int it) { return view_step(mapping, view, it) % unit == 0; });
  return loops && std::all_of(shape.dims.begin(), shape.dims.end(), [&](const StepShape::Dim& dim) {
           if (dim.flat <= dim.maximum) return true;
           const auto moving =
               std::find_if(dim.counted.rbegin(), dim.counted.rend(), [&](int it) { return box[it] > 1; });
           return moving == dim.counted.rend() || view_step(mapping, view, *moving) * dim.maximum % unit == 0;
         });
}

}  // namespace accord
