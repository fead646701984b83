#include "compiler/mapping/capable.h"

#include <algorithm>
#include <set>

#include "compiler/codelets/codelet.h"
#include "compiler/codelets/work.h"
#include "compiler/mapping/match.h"

namespace accord {

namespace {

/// What sums begin with may come by a transfer.
bool begins_sums(const Work& work, std::size_t s) {
  const auto& statements = work.program.statements;
  return s + 1 < statements.size() && statements[s].reduction == Reduction::assign &&
         statements[s + 1].reduction != Reduction::assign && statements[s].target == statements[s + 1].target;
}

/// Results that no tensor holds: one alone stays on chip (Enumerator).
std::size_t intermediate_results(const Work& work) {
  std::set<int> results;
  for (const Statement& statement : work.program.statements) {
    const int target = statement.target.operand;
    if (work.operands[static_cast<std::size_t>(target)].tensor == no_tensor) results.insert(target);
  }
  return results.size();
}

/// Whether one instruction sees all that the statement reduces, where the capability sets its target first.
bool reduces_all(const Architecture& architecture, const Work& work, const Statement& statement, const Match& match) {
  if (!match.initialises) return true;
  const Capability& capability = architecture.units[match.unit].capabilities[match.capability];
  const Access& result = capability.program.statements.back().target;
  double room = 1, reduced = 1;
  for (int d = 0; d < std::ssize(capability.dims); ++d) {
    if (!depends(result, d)) room *= static_cast<double>(capability.dims[static_cast<std::size_t>(d)].maximum);
  }
  for (const int it : iterators_of(statement)) {
    if (!depends(statement.target, it)) reduced *= static_cast<double>(work.program.iterators[it].extent);
  }
  return reduced <= room;
}

}  // namespace

bool is_capable(const Architecture& architecture, const Network& numeric) {
  const CodeletLibrary& codelets = CodeletLibrary::shipped();
  for (std::size_t i = 0; i < numeric.operators.size(); ++i) {
    const Operator& op = numeric.operators[i];
    if (op.type == "Cast") continue;
    if (!has_statements(numeric, op, codelets)) return false;
    const Work work = instantiate(numeric, {static_cast<int>(i)}, codelets);
    if (intermediate_results(work) > 1) return false;
    for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
      if (begins_sums(work, s)) continue;
      const auto matches = match_statement(architecture, work, static_cast<int>(s));
      const Statement& statement = work.program.statements[s];
      const auto does = [&](const Match& match) { return reduces_all(architecture, work, statement, match); };
      if (std::ranges::none_of(matches, does)) return false;
    }
  }
  return true;
}

}  // namespace accord
