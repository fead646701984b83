#include "compiler/mapping/plan.h"

#include <algorithm>

namespace accord {

bool depends(const Access& access, int iterator) {
  return std::any_of(access.indices.begin(), access.indices.end(), [&](const AffineIndex& index) {
    return std::any_of(index.terms.begin(), index.terms.end(),
                       [&](const auto& term) { return term.first == iterator; });
  });
}

bool is_reduction(const Work& work, const Mapping& mapping, int iterator) {
  const Statement& statement = work.program.statements[mapping.steps[0].statement];
  return !depends(statement.target, iterator);
}

int memory_at(const Architecture& architecture, const Use& use, int level) {
  if (level + 1 >= use.depth) return use.memory;
  const Hop& hop = hop_at(use, level);
  const Route& route = architecture.units[hop.unit].routes[hop.route];
  return use.role == UseRole::output ? route.source : route.target;
}

const Hop& hop_at(const Use& use, int level) {
  return use.role == UseRole::output ? use.hops[use.hops.size() - 1 - level] : use.hops[level];
}

}  // namespace accord
