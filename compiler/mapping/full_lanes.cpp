#include "compiler/mapping/full_lanes.h"

#include <algorithm>

#include "compiler/mapping/carriers.h"
#include "compiler/mapping/layout.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/mapping/views.h"

namespace accord {
namespace {

/// Whether the dim counts elements of an activation that lie side by side in a word.
bool counts_lanes(const SearchProblem& problem, const Match& match, int dim) {
  const Capability& capability = problem.machine.capability(match);
  for (int o = 0; o < std::ssize(match.operands); ++o) {
    const OperandMatch& operand = match.operands[o];
    if (operand.kind != OperandMatch::Kind::access || capability.operands[o].memory < 0) continue;
    const WorkOperand& work = problem.work.operands[operand.access.operand];
    const std::int64_t step = wired_step(capability, o, dim);
    const std::int64_t word = problem.machine.architecture.memories[capability.operands[o].memory].word;
    if (!work.constant && work.tensor != no_tensor && step > 0 && step < word) return true;
  }
  return false;
}

void pad_lanes(const SearchProblem& problem, Mapping& mapping) {
  for (const auto& step : mapping.steps) {
    const RunLimits& limits = *problem.machine.limits.run(step.match.unit, step.match.capability);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      const CapabilityDim& dim = limits.dims[d];
      const bool lanes = counts_lanes(problem, step.match, static_cast<int>(d));
      const std::int64_t unit = lanes ? dim.maximum : std::max(dim.multiple, dim.minimum);
      if (!step.chains[d].empty()) pad_chain(step.chains[d], unit, mapping.extent);
    }
  }
}

/// Whether accesses overlap as they did.
bool keeps_windows(const Mapping& mapping, const Mapping& before) {
  return std::ranges::all_of(mapping.uses, [&](const Use& use) {
    return std::ranges::all_of(use.access.indices, [&](const AffineIndex& index) {
      return is_window(index, mapping.extent) == is_window(index, before.extent);
    });
  });
}

}  // namespace

std::optional<Mapping> with_full_lanes(const SearchProblem& problem, const Mapping& mapping) {
  const bool carries = leaves_in_place(problem.machine.capability(mapping.steps[0].match));
  if (mapping.form || carries) return std::nullopt;  // no unit sees what is carried
  if (touches_part(problem.network, problem.work)) return std::nullopt;
  Mapping result = mapping;
  for (std::vector<std::int64_t> last; last != result.extent;) {
    last = result.extent;
    pad_lanes(problem, result);
  }
  if (result.extent == mapping.extent || padding_that_counts(problem.work, result) || !keeps_windows(result, mapping)) {
    return std::nullopt;
  }
  if (compute_bound(problem.machine, result) > compute_bound(problem.machine, mapping)) return std::nullopt;
  if (misled(problem.machine, result)) return std::nullopt;
  return result;
}

}  // namespace accord
