#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/codegen/encoder.h"

namespace accord {
namespace {

/// The argument through an indexed register that also advances by itself: argument, file, position of the amount.
struct Pointer {
  int argument = -1;
  int file = -1;
  std::size_t amount = 0;
};

/// How the mnemonic advances an address by itself; argument -1 where it does not.
Pointer pointer_of(const Mnemonic& mnemonic) {
  for (std::size_t a = 0; a < mnemonic.arguments.size(); ++a) {
    const Binding& binding = mnemonic.arguments[a];
    if (binding.base != Binding::Base::indexed_register) continue;
    for (std::size_t u = 0; u < mnemonic.updates.size(); ++u) {
      const RegisterUpdate& update = mnemonic.updates[u];
      if (update.base == binding.base && update.reg == binding.reg && update.index_field == binding.index_field) {
        return {static_cast<int>(a), binding.reg, mnemonic.arguments.size() + u};
      }
    }
  }
  return {};
}

int registers_in(const Isa& isa, int file) {
  for (const auto& reg : isa.registers) {
    if (reg.first == file) return reg.count;
  }
  return 0;
}

bool uses_registers(const Mnemonic& mnemonic) {
  for (const auto& binding : mnemonic.arguments) {
    if (binding.base != Binding::Base::none) return true;
  }
  return false;
}

}  // namespace

/// Why a loop cannot stay one; empty: it can.
std::string Encoder::loop_reason(const OpList& list, const LowLoop& loop) {
  std::vector<int> taken(known_.size(), 0);
  std::size_t delta = 0;
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list.ops[loop.first + i];
    const Mnemonic& mnemonic = architecture_.isa.mnemonics[op.mnemonic];
    const Pointer pointer = pointer_of(mnemonic);
    for (std::uint32_t v = 0; v < op.count; ++v, ++delta) {
      if (loop.deltas[delta] != 0 && static_cast<int>(v) != pointer.argument) return "an argument cannot advance";
    }
    if (pointer.argument >= 0) {
      if (++taken[pointer.file] > registers_in(architecture_.isa, pointer.file)) return "too few address registers";
    } else if (uses_registers(mnemonic)) {
      for (std::uint32_t v = 0; v < op.count; ++v) {
        const Binding& binding = mnemonic.arguments[v];
        if (binding.base == Binding::Base::fixed_register && !known_[binding.reg]) return "a register is not set yet";
      }
    }
  }
  return "";
}

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

/// Each advancing address gets a register of its own, set before the loop and stepped by the instruction.
void Encoder::emit_loop(const OpList& list, const LowLoop& loop) {
  if (!loop_reason(list, loop).empty()) {
    unroll(list, loop);
    return;
  }
  std::vector<Instruction> body;
  std::vector<int> next(known_.size(), 0);
  std::vector<RegisterWrite> ends;
  std::vector<MaybeValue> values;
  std::size_t delta = 0;
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list.ops[loop.first + i];
    const Pointer pointer = pointer_of(architecture_.isa.mnemonics[op.mnemonic]);
    values.assign(list.values.begin() + op.first, list.values.begin() + op.first + op.count);
    std::vector<MaybeValue> seen = known_;
    if (pointer.argument >= 0) {
      const int reg = pointer.file + next[pointer.file]++;
      const std::int64_t start = *values[pointer.argument];
      const std::int64_t step = loop.deltas[delta + static_cast<std::size_t>(pointer.argument)];
      const std::vector<RegisterWrite> writes = {{reg, start}};
      std::string reason;
      const auto settings = emitter_.set_registers(writes, known_, &reason);
      if (!settings) throw Error("an address register cannot be set: " + reason);
      for (const auto& setting : *settings) write(setting);
      for (int r = 0; r < registers_in(architecture_.isa, pointer.file); ++r) seen[pointer.file + r] = std::nullopt;
      seen[reg] = start;
      values.resize(std::max(values.size(), pointer.amount + 1));
      values[pointer.amount] = step;
      ends.push_back({reg, start + step * loop.turns});
    }
    delta += op.count;
    if (!emitter_.emit(op.mnemonic, values, seen, emission_) || !emission_.writes.empty()) {
      throw Error(
          fmt::format("{} cannot run in a loop: {}", architecture_.isa.mnemonics[op.mnemonic].name, emission_.reason));
    }
    body.push_back(emission_.instruction);
  }
  const std::vector<MaybeValue> arguments = {loop.turns, static_cast<std::int64_t>(body.size())};
  emit_values(limits_.mnemonic_for(Meaning::loop), arguments);
  for (const auto& instruction : body) write(instruction);
  for (const auto& end : ends) known_[end.reg] = end.value;
}

}  // namespace accord
