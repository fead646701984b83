#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/codegen/encoder.h"
#include "compiler/codegen/loop_plan.h"

namespace accord {

void Encoder::unroll(const OpList& list, const LowLoop& loop) {
  std::vector<MaybeValue> values;
  for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
    std::size_t delta = 0;
    for (std::size_t i = 0; i < loop.length; ++i) {
      const LowOp& op = list.ops[loop.first + i];
      values.assign(list.values.begin() + op.first, list.values.begin() + op.first + op.count);
      for (auto& value : values) {
        if (value) *value += turn * loop.deltas[delta];
        ++delta;
      }
      emit_values(op.mnemonic, values);
    }
  }
}

void Encoder::emit_loop(const OpList& list, const LowLoop& loop) {
  const LoopPlan plan = LoopPlanner(architecture_.isa, emitter_, limits_).plan(list, loop, known_);
  if (!plan.reason.empty()) {
    unroll(list, loop);
    return;
  }
  std::string reason;
  const auto settings = emitter_.set_registers(plan.before, known_, &reason);
  if (!settings) throw Error("a loop's registers cannot be set: " + reason);
  for (const auto& setting : *settings) write(setting);
  const std::vector<MaybeValue> arguments = {loop.turns, static_cast<std::int64_t>(plan.body.size())};
  emit_values(limits_.mnemonic_for(Meaning::loop), arguments);
  for (const auto& instruction : plan.body) write(instruction);
  for (const auto& [reg, value] : plan.after) known_[reg] = value;
}

}  // namespace accord
