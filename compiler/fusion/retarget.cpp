#include "compiler/fusion/retarget.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/shared_reads.h"

namespace accord {
namespace {

/// The slice's access in place of the layer's; indices beyond the tensor's own stay.
void move_access(Access& access, const Access& from, const Access& to) {
  const bool same = access.operand == from.operand && access.indices.size() >= from.indices.size() &&
                    std::equal(from.indices.begin(), from.indices.end(), access.indices.begin());
  if (same) std::copy(to.indices.begin(), to.indices.end(), access.indices.begin());
}

void move_access(Access& access, const Work& layer, const Work& slice) {
  const Access before = access;
  for (std::size_t s = 0; s < layer.program.statements.size() && access == before; ++s) {
    const Statement& from = layer.program.statements[s];
    const Statement& to = slice.program.statements[s];
    move_access(access, from.target, to.target);
    for (std::size_t a = 0; a < from.accesses.size() && access == before; ++a) {
      move_access(access, from.accesses[a], to.accesses[a]);
    }
  }
}

/// Extents in the steps that the capabilities' dims come in. Iterators of one turn are in no chain; false where a dim
/// loses its last one and must count more.
bool set_extents(const Machine& machine, const Work& slice, Mapping& mapping) {
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) mapping.extent[it] = slice.program.iterators[it].extent;
  const auto single = [&](int it) { return slice.program.iterators[it].extent == 1; };
  for (auto& step : mapping.steps) {
    const Capability& capability = machine.capability(step.match);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      std::erase_if(step.chains[d], single);
      const std::int64_t unit = std::max(capability.dims[d].multiple, capability.dims[d].minimum);
      if (unit == 1) continue;
      if (step.chains[d].empty()) return false;
      std::int64_t& inner = mapping.extent[step.chains[d].back()];
      inner = round_up(inner, unit);
    }
  }
  return true;
}

/// The way between the capability's memory and the tensor's home on chip.
bool lead_home(const Machine& machine, int home, Use& use) {
  use.home = home;
  use.hops.clear();
  if (use.memory != home) {
    use.hops = way_between(machine, home, use.memory, use.role == UseRole::output);
    if (use.hops.empty()) return false;
  }
  use.depth = static_cast<int>(use.hops.size());
  return true;
}

}  // namespace

std::optional<Mapping> retarget(const Machine& machine, const Homes& homes, const Mapping& mapping,
                                const Work& whole_layer, const Work& whole_slice) {
  Mapping result = mapping;
  if (mapping.form && !(result.form = same_form(*mapping.form, whole_slice))) return std::nullopt;
  const Work& layer = work_of(whole_layer, mapping);
  const Work& slice = work_of(whole_slice, result);
  if (!set_extents(machine, slice, result)) return std::nullopt;
  result.scheduled = false;
  result.measured_cycles = 0;
  for (auto& step : result.steps) {
    for (auto& operand : step.match.operands) {
      if (operand.kind == OperandMatch::Kind::access) move_access(operand.access, layer, slice);
    }
  }
  result.levels = 1;
  for (auto& use : result.uses) {
    if (!use.filled && use.access.operand >= 0) {
      move_access(use.access, layer, slice);
      const TensorId tensor = slice.operands[use.access.operand].tensor;
      const int home = tensor == no_tensor || use.role == UseRole::accumulator ? -1 : homes[tensor].memory;
      if (home >= 0 && !lead_home(machine, home, use)) return std::nullopt;
    }
    result.levels = std::max(result.levels, use.depth);
  }
  begin_in_target(result);
  if (starts_in_home(result) || !has_part_sites(machine, result)) return std::nullopt;
  if (static_cast<int>(result.tile.size()) != result.levels) {
    result.tile.clear();
    result.order.clear();
    result.copies.clear();
  }
  for (auto& level : result.tile) {
    for (std::size_t it = 0; it < level.size(); ++it) level[it] = std::min(level[it], result.extent[it]);
  }
  return result;
}

}  // namespace accord
