#include "compiler/codegen/loop_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord {
namespace {

/// The displacement's raw value that makes the argument `value` beside a register that holds `held`.
bool displacement(const Mnemonic& mnemonic, const Binding& binding, std::int64_t held, std::int64_t value,
                  std::int64_t& raw) {
  const std::int64_t rest = value - held - binding.bias;
  raw = 0;
  if (binding.field < 0) return rest == 0;
  if (rest % binding.unit != 0) return false;
  raw = rest / binding.unit;
  return fits(mnemonic.fields[binding.field], raw);
}

/// Position among the updates of the one that advances the register behind this argument; -1: none.
int update_of(const Mnemonic& mnemonic, const Binding& binding) {
  for (std::size_t u = 0; u < mnemonic.updates.size(); ++u) {
    const RegisterUpdate& update = mnemonic.updates[u];
    if (update.base == binding.base && update.reg == binding.reg && update.index_field == binding.index_field) {
      return static_cast<int>(u);
    }
  }
  return -1;
}

}  // namespace

int LoopPlanner::registers_in(int file) const {
  const Register* reg = register_of(isa_, file);
  return reg == nullptr ? 0 : reg->count;
}

/// Goes through a register that grows alike if the displacement reaches, else through one of its own.
bool LoopPlanner::assign_argument(const Mnemonic& mnemonic, std::size_t op, std::size_t argument, std::int64_t value,
                                  std::int64_t step, std::string& reason) {
  const Binding& binding = mnemonic.arguments[argument];
  std::int64_t raw = 0;
  int taken = 0;
  for (std::size_t p = 0; p < pointers_.size(); ++p) {
    if (pointers_[p].file != binding.reg) continue;
    ++taken;
    if (pointers_[p].step != step || !displacement(mnemonic, binding, pointers_[p].start, value, raw)) continue;
    pointers_[p].last = op;
    through_.push_back({op, argument, p});
    return true;
  }
  if (taken == registers_in(binding.reg)) {
    reason = "too few address registers";
    return false;
  }
  through_.push_back({op, argument, pointers_.size()});
  pointers_.push_back({binding.reg, binding.reg + taken, value - binding.bias, step, op, false});
  return true;
}

bool LoopPlanner::assign(const OpList& list, const LowLoop& loop, std::string& reason) {
  pointers_.clear();
  through_.clear();
  std::size_t delta = 0;
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list.ops[loop.first + i];
    const Mnemonic& mnemonic = isa_.mnemonics[op.mnemonic];
    for (std::uint32_t v = 0; v < op.count; ++v, ++delta) {
      const bool indexed = mnemonic.arguments[v].base == Binding::Base::indexed_register;
      const MaybeValue& value = list.values[op.first + v];
      if (indexed && value) {
        if (!assign_argument(mnemonic, i, v, *value, loop.deltas[delta], reason)) return false;
      } else if (loop.deltas[delta] != 0) {
        reason = "an argument cannot advance";
        return false;
      }
    }
  }
  return true;
}

/// Post-increments: the step where this is the last way through the register, else nothing.
void LoopPlanner::set_amounts(const Mnemonic& mnemonic, std::size_t op, std::vector<MaybeValue>& values) {
  values.resize(mnemonic.arguments.size() + mnemonic.updates.size());
  for (std::size_t u = 0; u < mnemonic.updates.size(); ++u) values[mnemonic.arguments.size() + u] = 0;
  for (const auto& t : through_) {
    if (t.op != op) continue;
    Pointer& pointer = pointers_[t.pointer];
    const int update = update_of(mnemonic, mnemonic.arguments[t.argument]);
    if (update < 0 || pointer.last != op) continue;
    values[mnemonic.arguments.size() + static_cast<std::size_t>(update)] = pointer.step;
    pointer.stepped = true;
  }
}

/// Points each address at its own register; false where the instruction then says something else.
bool LoopPlanner::direct(Instruction& instruction, std::size_t op, const std::vector<MaybeValue>& values) const {
  const Mnemonic& mnemonic = isa_.mnemonics[instruction.mnemonic];
  for (const auto& t : through_) {
    if (t.op != op) continue;
    const Binding& binding = mnemonic.arguments[t.argument];
    const Pointer& pointer = pointers_[t.pointer];
    std::int64_t raw = 0;
    if (!displacement(mnemonic, binding, pointer.start, *values[t.argument], raw)) return false;
    instruction.fields[binding.index_field] = pointer.reg - pointer.file;
    if (binding.field >= 0) instruction.fields[binding.field] = raw;
  }
  std::vector<std::int64_t> registers;
  for (const auto& value : seen_) registers.push_back(value.value_or(0));
  for (std::size_t a = 0; a < mnemonic.arguments.size(); ++a) {
    if (values[a] && value_of(mnemonic.arguments[a], instruction.fields, registers) != *values[a]) return false;
  }
  return true;
}

bool LoopPlanner::emit(const OpList& list, const LowLoop& loop, LoopPlan& plan) {
  plan.body.clear();
  std::vector<MaybeValue> values;
  for (std::size_t i = 0; i < loop.length; ++i) {
    const LowOp& op = list.ops[loop.first + i];
    const Mnemonic& mnemonic = isa_.mnemonics[op.mnemonic];
    values.assign(list.values.begin() + op.first, list.values.begin() + op.first + op.count);
    set_amounts(mnemonic, i, values);
    if (!emitter_.emit(op.mnemonic, values, seen_, emission_, op.unit)) {
      plan.reason = fmt::format("{} cannot run in a loop: {}", mnemonic.name, emission_.reason);
      return false;
    }
    for (const auto& write : emission_.writes) {
      plan.before.push_back(write);
      seen_[write.reg] = write.value;
    }
    plan.body.push_back(emission_.instruction);
    if (!direct(plan.body.back(), i, values)) {
      plan.reason = fmt::format("{} cannot run in a loop: its addresses share a field", mnemonic.name);
      return false;
    }
  }
  return true;
}

/// What no instruction steps by itself is added to at the end of the body.
bool LoopPlanner::add_steps(LoopPlan& plan) {
  for (const auto& pointer : pointers_) {
    if (pointer.stepped || pointer.step == 0) continue;
    const auto adds = [&](const Mnemonic& mnemonic) {
      if (mnemonic.meaning != Meaning::add || mnemonic.updates.size() != 1) return false;
      const RegisterUpdate& update = mnemonic.updates[0];
      return update.base == Binding::Base::indexed_register && update.reg == pointer.file &&
             update.amount.base == Binding::Base::none && update.amount.field >= 0;
    };
    const auto found = std::find_if(isa_.mnemonics.begin(), isa_.mnemonics.end(), adds);
    std::int64_t raw = 0;
    if (found == isa_.mnemonics.end() || !displacement(*found, found->updates[0].amount, 0, pointer.step, raw)) {
      plan.reason = "an address register cannot be stepped";
      return false;
    }
    Instruction add{static_cast<int>(found - isa_.mnemonics.begin()), {}};
    add.fields.assign(found->fields.size(), 0);
    add.fields[found->updates[0].index_field] = pointer.reg - pointer.file;
    add.fields[found->updates[0].amount.field] = raw;
    plan.body.push_back(std::move(add));
  }
  return true;
}

LoopPlan LoopPlanner::plan(const OpList& list, const LowLoop& loop, const std::vector<MaybeValue>& known) {
  LoopPlan plan;
  if (!assign(list, loop, plan.reason)) return plan;
  seen_ = known;
  for (const auto& pointer : pointers_) {
    for (int r = 0; r < registers_in(pointer.file); ++r) seen_[pointer.file + r] = std::nullopt;
  }
  for (const auto& pointer : pointers_) {
    seen_[pointer.reg] = pointer.start;
    plan.before.push_back({pointer.reg, pointer.start});
    plan.after.push_back({pointer.reg, pointer.start + pointer.step * loop.turns});
  }
  // The first pass finds the registers that the body needs set; in the second nothing may be left to set.
  if (!emit(list, loop, plan)) return plan;
  const std::size_t settings = plan.before.size();
  if (!emit(list, loop, plan) || !add_steps(plan)) return plan;
  if (plan.before.size() != settings) {
    plan.reason = "the body would set registers in each turn";
    return plan;
  }
  const std::vector<MaybeValue> arguments = {loop.turns, static_cast<std::int64_t>(plan.body.size())};
  if (!emitter_.emit(limits_.mnemonic_for(Meaning::loop), arguments, known, emission_)) {
    plan.reason = emission_.reason;
  }
  return plan;
}

}  // namespace accord
