#include <algorithm>

#include "archdsl/source/error.h"
#include "compiler/codegen/encoder.h"
#include "compiler/codegen/loop_plan.h"
#include "compiler/lowering/list_copy.h"
#include "compiler/mapping/step_bound.h"

namespace accord {

/// The turns one after another; loops inside stay loops where they can.
void Encoder::unroll(const OpList& list, LoopSpan loops, int layer, const std::vector<std::string>& labels,
                     const std::string& reason) {
  const LowLoop& loop = loops.front();
  for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
    if (count_ - list_start_ > most_instructions_of_layer) {
      throw Error("its loops would stand in a long program turn by turn: " + reason);
    }
    ListCopy copy(list);
    copy.range(loop.first, loop.length, loops.subspan(1), &loop, turn);
    const OpList unrolled = copy.take();
    emit_range(unrolled, layer, labels);
  }
}

void Encoder::emit_range(const OpList& list, int layer, const std::vector<std::string>& labels) {
  LoopSpan loops = list.loops;
  for (std::size_t at = 0; at < list.ops.size();) {
    if (loops.empty() || loops.front().first != at) {
      note(layer, labels.at(static_cast<std::size_t>(list.ops[at].statement)));
      emit_operation(list, list.ops[at++]);
      continue;
    }
    const LoopSpan whole = with_inner(loops);
    emit_loop(list, whole, layer, labels);
    at += whole.front().length;
    loops = loops.subspan(whole.size());
  }
}

void Encoder::emit_loop(const OpList& list, LoopSpan loops, int layer, const std::vector<std::string>& labels) {
  const LoopPlan plan = LoopPlanner(architecture_.isa, emitter_, limits_).plan(list, loops, known_);
  if (!plan.reason.empty()) return unroll(list, loops, layer, labels, plan.reason);
  note(layer, labels.at(static_cast<std::size_t>(list.ops[loops.front().first].statement)));
  for (std::size_t i = 0; i < plan.code.size(); ++i) {
    if (plan.statements[i] >= 0) note(layer, labels.at(static_cast<std::size_t>(plan.statements[i])));
    write(plan.code[i]);
  }
  known_ = plan.known;
}

}  // namespace accord
