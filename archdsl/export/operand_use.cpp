#include "archdsl/export/operand_use.h"

namespace accord {

OperandUse operand_use(const Capability& capability) {
  OperandUse use;
  const auto lies_in_memory = [&](int operand) {
    return capability.operands[static_cast<std::size_t>(operand)].memory >= 0;
  };
  const auto read = [&](const Access& access) {
    if (lies_in_memory(access.operand) && !use.writes.contains(access.operand)) use.reads.insert(access.operand);
  };
  for (const Statement& s : capability.program.statements) {
    for (const Access& access : s.accesses) read(access);
    if (s.reduction != Reduction::assign) read(s.target);
    if (lies_in_memory(s.target.operand)) use.writes.insert(s.target.operand);
  }
  return use;
}

}  // namespace accord
