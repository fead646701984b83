#include "simulator/modules/run_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord::sim {

namespace {

/// Whether a transfer within one memory writes what it also reads (of a gather: a row of its table), unless byte by
/// byte to where it lies: what it moves then depends on the size and order of its requests.
bool reads_what_it_writes(const Operation& operation) {
  const OperationShape& shape = *operation.shape;
  if (!shape.placements.empty()) return false;
  const AccessShape& source = shape.accesses[0];
  const bool in_place =
      shape.walk.gather < 0 && operation.base[1] + shape.walk.target == operation.base[0] &&
      std::ranges::all_of(shape.walk.dims, [](const auto& dim) { return dim.count == 1 || dim.source == dim.target; });
  return std::ranges::any_of(targets_of(shape), [&](const AccessShape& target) {
    return target.memory == source.memory && !in_place &&
           meet(source.footprint, operation.base[0], target.footprint, operation.base[1]);
  });
}

}  // namespace

bool RunState::bind(const Decoded& decoded, std::span<const std::int64_t> arguments, Cycle now, Operation& operation) {
  operation.instruction = decoded.index;
  operation.mnemonic = decoded.mnemonic;
  operation.unit = decoded.unit;
  operation.layer = decoded.layer;
  std::string error;
  if (binder.bind(decoded.mnemonic, decoded.unit, arguments, operation, error)) {
    if (operation.shape->least_cycles > most_cycles - now) {
      out_of_time(now, decoded.index, decoded.mnemonic);
      return false;
    }
    if (checks_hazards && reads_what_it_writes(operation))
      hazards.report("race", now, decoded.index, decoded.mnemonic,
                     "writes bytes that it also reads: what it moves depends on its requests");
    return true;
  }
  hazards.end("out_of_range", now, decoded.index, decoded.mnemonic, error);
  return false;
}

void RunState::out_of_time(Cycle now, std::int64_t instruction, int mnemonic) {
  hazards.end("cycle_limit", now, instruction, mnemonic, fmt::format("is not over after {} cycles", most_cycles));
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
  hazards.end("out_of_range", now, operation.instruction, operation.mnemonic, error);
  return false;
}

}  // namespace accord::sim
