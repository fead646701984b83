#include "simulator/modules/run_state.h"

namespace accord::sim {

bool RunState::bind(std::int64_t instruction, int mnemonic, int unit, std::span<const std::int64_t> arguments,
                    Cycle now, Operation& operation) {
  operation.instruction = instruction;
  operation.mnemonic = mnemonic;
  operation.unit = unit;
  operation.layer = map.layer(instruction);
  std::string error;
  if (binder.bind(mnemonic, arguments, operation, error)) return true;
  hazards.report("out_of_range", now, instruction, mnemonic, error);
  hazards.fatal = true;
  return false;
}

}  // namespace accord::sim
