#include "simulator/modules/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace accord::sim {

namespace {

/// Whether a transfer within one memory writes what it also reads, unless byte by byte to where it lies: what it moves
/// then depends on the size and order of its requests.
bool reads_what_it_writes(const Operation& operation) {
  const OperationShape& shape = *operation.shape;
  if (!shape.placements.empty() || shape.walk.gather >= 0) return false;
  const AccessShape& source = shape.accesses[0];
  const bool in_place =
      std::ranges::all_of(shape.walk.dims, [](const auto& dim) { return dim.count == 1 || dim.source == dim.target; });
  const std::int64_t low = operation.low(source), high = low + source.footprint.extent;
  std::vector<std::pair<std::int64_t, std::int64_t>> read;  // first byte, end
  for (const AccessShape& target : targets_of(shape)) {
    const std::int64_t written = operation.low(target);
    const bool apart = written >= high || written + target.footprint.extent <= low;
    if (target.memory != source.memory || apart || (in_place && operation.base[1] + shape.walk.target == low)) continue;
    if (read.empty()) {
      for_each_run(source.footprint, operation.base[0],
                   [&](std::int64_t address, std::int64_t n) { read.emplace_back(address, address + n); });
      std::ranges::sort(read);
    }
    bool meets = false;
    for_each_run(target.footprint, operation.base[1], [&](std::int64_t address, std::int64_t n) {
      const auto next = std::ranges::upper_bound(read, address, {}, &std::pair<std::int64_t, std::int64_t>::second);
      meets = meets || (next != read.end() && next->first < address + n);
    });
    if (meets) return true;
  }
  return false;
}

}  // namespace

bool RunState::bind(const Decoded& decoded, std::span<const std::int64_t> arguments, Cycle now, Operation& operation) {
  operation.instruction = decoded.index;
  operation.mnemonic = decoded.mnemonic;
  operation.unit = decoded.unit;
  operation.layer = decoded.layer;
  std::string error;
  if (binder.bind(decoded.mnemonic, decoded.unit, arguments, operation, error)) {
    if (checks_hazards && reads_what_it_writes(operation))
      hazards.report("race", now, decoded.index, decoded.mnemonic,
                     "writes bytes that it also reads: what it moves depends on its requests");
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
