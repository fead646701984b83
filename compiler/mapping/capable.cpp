#include "compiler/mapping/capable.h"

#include "compiler/codelets/codelet.h"
#include "compiler/codelets/work.h"
#include "compiler/mapping/match.h"

namespace accord {

bool is_capable(const Architecture& architecture, const Network& numeric) {
  const CodeletLibrary& codelets = CodeletLibrary::shipped();
  for (std::size_t i = 0; i < numeric.operators.size(); ++i) {
    const Operator& op = numeric.operators[i];
    if (op.type == "Cast") continue;
    if (codelets.find(op.type) == nullptr) return false;
    const Work work = instantiate(numeric, {static_cast<int>(i)}, codelets);
    for (std::size_t s = 0; s < work.program.statements.size(); ++s)
      if (match_statement(architecture, work, static_cast<int>(s)).empty()) return false;
  }
  return true;
}

}  // namespace accord
