#include "simulator/modules/run_state.h"

namespace accord::sim {

bool RunState::bind(const Decoded& decoded, std::span<const std::int64_t> arguments, Cycle now, Operation& operation) {
  operation.instruction = decoded.index;
  operation.mnemonic = decoded.mnemonic;
  operation.unit = decoded.unit;
  operation.layer = decoded.layer;
  std::string error;
  if (binder.bind(decoded.mnemonic, decoded.unit, arguments, operation, error)) return true;
  hazards.report("out_of_range", now, decoded.index, decoded.mnemonic, error);
  hazards.fatal = true;
  return false;
}

bool RunState::read_list(Operation& operation, Cycle now) {
  std::string error;
  if (evaluator.read_list(operation, error)) return true;
  hazards.report("out_of_range", now, operation.instruction, operation.mnemonic, error);
  hazards.fatal = true;
  return false;
}

}  // namespace accord::sim
