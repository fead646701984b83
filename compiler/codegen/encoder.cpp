#include "compiler/codegen/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "archdsl/source/error.h"

namespace accord {

Encoder::Encoder(const Architecture& architecture, const Limits& limits)
    : architecture_(architecture),
      limits_(limits),
      emitter_(architecture),
      known_(static_cast<std::size_t>(architecture.isa.register_count)) {}

void Encoder::write(const Instruction& instruction) {
  const std::size_t size = static_cast<std::size_t>(architecture_.isa.width / 8);
  text_.resize(text_.size() + size);
  encode(architecture_.isa, instruction, text_.data() + text_.size() - size);
  emitter_.track(instruction, known_);
  ++count_;
}

/// Extends or begins the map entry for the instructions from here on.
void Encoder::note(int layer, const std::string& statement) {
  if (!map_.empty() && map_.back().layer == layer && map_.back().statement == statement) return;
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
  map_.push_back({count_, 0, layer, statement});
}

void Encoder::emit_operation(const OpList& list, const LowOp& op) {
  emit_values(op.mnemonic, {list.values.data() + op.first, op.count}, op.unit);
}

void Encoder::emit_values(int mnemonic, std::span<const MaybeValue> values, int unit) {
  if (!emitter_.emit(mnemonic, values, known_, emission_, unit)) {
    throw Error(fmt::format("{} cannot express what the mapping needs: {}", architecture_.isa.mnemonics[mnemonic].name,
                            emission_.reason));
  }
  if (!emission_.writes.empty()) {
    std::string reason;
    const auto settings = emitter_.set_registers(emission_.writes, known_, &reason);
    if (!settings) {
      throw Error(fmt::format("registers of {} cannot be set: {}", architecture_.isa.mnemonics[mnemonic].name, reason));
    }
    for (const auto& setting : *settings) write(setting);
  }
  write(emission_.instruction);
}

void Encoder::emit_sync(const OrderedOp& op) {
  const Meaning meaning = op.kind == OrderedOp::Kind::wait ? Meaning::wait : Meaning::signal;
  const int mnemonic = limits_.mnemonic_for(meaning, op.unit);
  if (mnemonic < 0) {
    throw Error(fmt::format("the instruction set has no {} for {}", meaning == Meaning::wait ? "wait" : "signal",
                            architecture_.units[op.unit].name));
  }
  const std::vector<MaybeValue> values = {op.semaphore};
  if (!emitter_.emit(mnemonic, values, known_, emission_, op.unit)) {
    throw Error(fmt::format("{}: {}", architecture_.isa.mnemonics[mnemonic].name, emission_.reason));
  }
  write(emission_.instruction);
}

void Encoder::append(const OpList& list, const std::vector<OrderedOp>& order, int layer,
                     const std::vector<std::string>& labels) {
  const auto loops_at = [&](std::uint32_t op) -> LoopSpan {
    const auto loop = std::lower_bound(list.loops.begin(), list.loops.end(), op,
                                       [](const LowLoop& l, std::uint32_t at) { return l.first < at; });
    if (loop == list.loops.end() || loop->first != op) return {};
    return with_inner(LoopSpan(list.loops).subspan(static_cast<std::size_t>(loop - list.loops.begin())));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const OrderedOp& ordered = order[i];
    if (ordered.kind != OrderedOp::Kind::operation) {
      emit_sync(ordered);
      continue;
    }
    if (const LoopSpan loops = loops_at(ordered.op); !loops.empty()) {
      emit_loop(list, loops, layer, labels);
      i += loops.front().length - 1;
      continue;
    }
    const LowOp& op = list.ops[ordered.op];
    note(layer, labels.at(static_cast<std::size_t>(op.statement)));
    emit_operation(list, op);
  }
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
}

void Encoder::rollback(const Mark& mark) {
  text_.resize(mark.text);
  map_.resize(mark.map);
  count_ = mark.count;
  known_ = mark.known;
  stages_.resize(mark.stages);
  stage_start_ = mark.stage_start;
}

void Encoder::barrier() {
  const int fence = limits_.mnemonic_for(Meaning::fence);
  if (fence < 0) {
    end_stage();
    return;
  }
  write({fence, std::vector<std::int64_t>(architecture_.isa.mnemonics[fence].fields.size(), 0)});
  if (!map_.empty()) map_.back().count = count_ - map_.back().first;
}

void Encoder::end_stage() {
  if (count_ == stage_start_) return;
  Stage stage;
  stage.first = stage_start_;
  stage.count = count_ - stage_start_;
  stages_.push_back(std::move(stage));
  stage_start_ = count_;
}

}  // namespace accord
