#include "compiler/mapping/capable.h"

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
      if (match_statement(architecture, work, static_cast<int>(s)).empty()) return false;
    }
  }
  return true;
}

}  // namespace accord
