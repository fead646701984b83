#include "compiler/mapping/capable.h"

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

}  // namespace

bool is_capable(const Architecture& architecture, const Network& numeric) {
  const CodeletLibrary& codelets = CodeletLibrary::shipped();
  for (std::size_t i = 0; i < numeric.operators.size(); ++i) {
    const Operator& op = numeric.operators[i];
    if (op.type == "Cast") continue;
    if (codelets.find(op.type) == nullptr) return false;
    const Work work = instantiate(numeric, {static_cast<int>(i)}, codelets);
    for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
      if (begins_sums(work, s)) continue;
      if (match_statement(architecture, work, static_cast<int>(s)).empty()) return false;
    }
  }
  return true;
}

}  // namespace accord
