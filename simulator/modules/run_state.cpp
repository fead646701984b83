#include "simulator/modules/run_state.h"

#include <fmt/format.h>

namespace accord::sim {

bool RunState::bind(const Decoded& decoded, std::span<const std::int64_t> arguments, Cycle now, Operation& operation) {
  operation.instruction = decoded.index;
  operation.mnemonic = decoded.mnemonic;
  operation.unit = decoded.unit;
  operation.layer = decoded.layer;
  std::string error;
  if (binder.bind(decoded.mnemonic, decoded.unit, arguments, operation, error)) {
    if (operation.shape->least_cycles <= most_cycles - now) return true;
    out_of_time(now, decoded.index, decoded.mnemonic);
    return false;
  }
  hazards.report("out_of_range", now, decoded.index, decoded.mnemonic, error);
  hazards.fatal = true;
  return false;
}

void RunState::out_of_time(Cycle now, std::int64_t instruction, int mnemonic) {
  hazards.report("cycle_limit", now, instruction, mnemonic, fmt::format("is not over after {} cycles", most_cycles));
  hazards.fatal = true;
}

void RunState::report_overflow(const Semaphores& semaphores, int semaphore, Cycle now) const {
  const Semaphores::Token* const over = timed ? semaphores.overflow(semaphore, now) : nullptr;
  if (over == nullptr) return;
  hazards.report("semaphore_overflow", over->time, over->instruction, over->mnemonic,
                 fmt::format("semaphore {} rises above {}", semaphore, architecture.sync.semaphore_max));
}

bool RunState::read_list(Operation& operation, Cycle now) {
  if (!values) {
    const bool listed = operation.shape->walk.gather >= 0;
    operation.indices.assign(listed ? static_cast<std::size_t>(operation.shape->list.entries) : 0, 0);
    return true;
  }
  std::string error;
  if (evaluator.read_list(operation, error)) return true;
  hazards.report("out_of_range", now, operation.instruction, operation.mnemonic, error);
  hazards.fatal = true;
  return false;
}

}  // namespace accord::sim
