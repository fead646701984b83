#include "compiler/mapping/along_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/mapping/views.h"

namespace accord {

bool counts_along_memory(const SearchProblem& problem, const Mapping& assignment) {
  const StatementPlan& step = assignment.steps.front();
  const Capability& capability = problem.machine.capability(step.match);
  const Work& work = work_of(problem.work, assignment);
  const Access& result = work.program.statements[step.statement].target;
  const TensorId tensor = work.operands[result.operand].tensor;
  if (tensor == no_tensor || problem.homes[tensor].order.empty()) return false;
  const auto as_long = [](std::int64_t extent, const Iterator& iterator) { return extent == iterator.extent; };
  const bool padded = !std::ranges::equal(assignment.extent, work.program.iterators, as_long);
  if (padded && touches_part(problem.network, work)) return false;
  const int target = capability.program.statements.back().target.operand;
  std::int64_t narrowest = std::numeric_limits<std::int64_t>::max();
  bool follows = false;
  for (int d = 0; d < std::ssize(step.chains); ++d) {
    const std::int64_t wired = wired_step(capability, target, d);
    if (wired <= 0 || wired >= narrowest) continue;
    narrowest = wired;
    const auto& terms = result.indices[problem.homes[tensor].order.back()].terms;
    const auto& chain = step.chains[d];
    follows = chain.size() == 1 && std::ranges::count(terms, std::pair(chain.front(), std::int64_t{1})) > 0;
  }
  return follows;
}

}  // namespace accord
