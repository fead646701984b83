#include "compiler/codegen/loop_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/lowering/item_graph.h"

namespace accord {
namespace {

constexpr std::ptrdiff_t most_in_nest = 1 << 16;  // instructions

}  // namespace

void LoopPlanner::append(const Instruction& instruction, int statement, Code& code) {
  code.emplace_back(instruction, statement);
  emitter_.track(instruction, seen_);
}

/// Points each address at its own register; false where the instruction then says something else.
bool LoopPlanner::direct(Instruction& instruction, std::size_t op, const std::vector<MaybeValue>& values) const {
  const Mnemonic& mnemonic = isa_.mnemonics[instruction.mnemonic];
  for (std::size_t a = 0; a < mnemonic.arguments.size(); ++a) {
    const Binding& binding = mnemonic.arguments[a];
    if (binding.base != Binding::Base::indexed_register || !values[a]) continue;
    const int reg = addresses_.of(op, a);
    std::int64_t raw = 0;
    if (!displacement(mnemonic, binding, seen_[reg].value_or(0), *values[a], raw)) return false;
    instruction.fields[binding.index_field] = reg - binding.reg;
    if (binding.field >= 0) instruction.fields[binding.field] = raw;
  }
  std::vector<std::int64_t> registers;
  for (const auto& value : seen_) registers.push_back(value.value_or(0));
  for (std::size_t a = 0; a < mnemonic.arguments.size(); ++a) {
    if (values[a] && value_of(mnemonic.arguments[a], instruction.fields, registers) != *values[a]) return false;
  }
  return true;
}

bool LoopPlanner::add(const std::vector<AddressRegisters::Add>& adds, Code& code) {
  for (const auto& wanted : adds) {
    const auto adds_to = [&](const Mnemonic& mnemonic) {
      if (mnemonic.meaning != Meaning::add || mnemonic.updates.size() != 1) return false;
      const RegisterUpdate& update = mnemonic.updates[0];
      return update.base == Binding::Base::indexed_register && update.reg == wanted.file &&
             update.amount.base == Binding::Base::none && update.amount.field >= 0;
    };
    const auto found = std::find_if(isa_.mnemonics.begin(), isa_.mnemonics.end(), adds_to);
    const auto step = [&] {
      // What is beyond the register wraps around.
      const Register& reg = *register_of(isa_, wanted.file);
      std::int64_t raw = 0;
      const Binding& amount = found->updates[0].amount;
      if (displacement(*found, amount, 0, wanted.amount, raw)) return MaybeValue(raw);
      if (displacement(*found, amount, 0, wrap(reg, wanted.amount), raw)) return MaybeValue(raw);
      return MaybeValue();
    };
    const MaybeValue raw = found == isa_.mnemonics.end() ? std::nullopt : step();
    if (!raw) {
      reason_ = "an address register cannot be stepped";
      return false;
    }
    Instruction instruction{static_cast<int>(found - isa_.mnemonics.begin()), {}};
    instruction.fields.assign(found->fields.size(), 0);
    instruction.fields[found->updates[0].index_field] = wanted.reg - wanted.file;
    instruction.fields[found->updates[0].amount.field] = *raw;
    append(instruction, -1, code);
  }
  return true;
}

bool LoopPlanner::set(const Settings& settings, Code& code) {
  std::string why;
  const auto instructions = emitter_.set_registers(settings, seen_, &why);
  if (!instructions) {
    reason_ = "a loop's registers cannot be set: " + why;
    return false;
  }
  for (const auto& instruction : *instructions) append(instruction, -1, code);
  return true;
}

bool LoopPlanner::emit_operation(std::size_t at, Code& code, Settings& first) {
  const LowOp& op = list_->ops[at];
  const Mnemonic& mnemonic = isa_.mnemonics[op.mnemonic];
  if (!add(addresses_.before_operation(at), code)) return false;
  values_.assign(list_->values.begin() + op.first, list_->values.begin() + op.first + op.count);
  values_.resize(mnemonic.arguments.size() + mnemonic.updates.size());
  for (std::size_t u = 0; u < mnemonic.updates.size(); ++u) {
    values_[mnemonic.arguments.size() + u] = addresses_.increment(at, u);
  }
  if (!emitter_.emit(op.mnemonic, values_, seen_, emission_, op.unit)) {
    reason_ = fmt::format("{} cannot run in a loop: {}", mnemonic.name, emission_.reason);
    return false;
  }
  Instruction instruction = emission_.instruction;
  if (!emission_.writes.empty()) {
    const Settings wanted = emission_.writes;
    const auto addresses = [&](const RegisterWrite& write) {
      return std::find(addresses_.taken().begin(), addresses_.taken().end(), write.reg) != addresses_.taken().end();
    };
    if (std::any_of(wanted.begin(), wanted.end(), addresses)) {
      reason_ = fmt::format("{} would set an address register in a loop", mnemonic.name);
      return false;
    }
    first.insert(first.end(), wanted.begin(), wanted.end());
    if (!set(wanted, code)) return false;
  }
  if (!direct(instruction, at, values_)) {
    reason_ = fmt::format("{} cannot run in a loop: its addresses share a field", mnemonic.name);
    return false;
  }
  append(instruction, op.statement, code);
  return true;
}

bool LoopPlanner::emit_body(std::span<const LowLoop> loops, Code& code, Settings& first) {
  const LowLoop& loop = loops.front();
  loops = loops.subspan(1);
  for (std::size_t at = loop.first; at < loop.first + loop.length;) {
    if (loops.empty() || loops.front().first != at) {
      if (!emit_operation(at++, code, first)) return false;
      continue;
    }
    const auto inner = with_inner(loops);
    if (!emit_loop(inner, code)) return false;
    at += inner.front().length;
    loops = loops.subspan(inner.size());
  }
  return add(addresses_.at_end(static_cast<std::size_t>(&loop - first_loop_)), code);
}

/// Registers that the loop instruction takes its count or its length from.
std::vector<int> LoopPlanner::registers_of_loops() const {
  std::vector<int> registers;
  for (const Binding& binding : isa_.mnemonics[limits_.mnemonic_for(Meaning::loop)].arguments) {
    if (binding.base == Binding::Base::fixed_register) registers.push_back(binding.reg);
  }
  return registers;
}

/// The loop instruction behind what sets its registers; `entry`: what is known where that stands.
bool LoopPlanner::begin_loop(std::int64_t turns, std::int64_t length, const std::vector<MaybeValue>& entry,
                             Code& code) {
  const std::vector<MaybeValue> arguments = {turns, length};
  if (!emitter_.emit(limits_.mnemonic_for(Meaning::loop), arguments, entry, emission_)) {
    reason_ = emission_.reason;
    return false;
  }
  const auto registers = registers_of_loops();
  for (const RegisterWrite& write : emission_.writes) {
    if (std::ranges::count(registers, write.reg) == 0 || std::ranges::count(addresses_.taken(), write.reg) != 0) {
      reason_ = "a loop's count or length needs a register that addresses go through";
      return false;
    }
  }
  std::string why;
  const auto settings = emitter_.set_registers(emission_.writes, entry, &why);
  if (!settings) {
    reason_ = "a loop's count or length cannot be set: " + why;
    return false;
  }
  for (const auto& instruction : *settings) code.emplace_back(instruction, -1);
  code.emplace_back(emission_.instruction, -1);
  return true;
}

/// The most turns, up to so many, that a loop instruction counts; 0: none.
std::int64_t LoopPlanner::turns_that_fit(std::int64_t turns, std::int64_t length,
                                         const std::vector<MaybeValue>& entry) {
  Code unused;
  if (begin_loop(turns, length, entry, unused)) return turns;
  const std::string why = reason_;
  std::int64_t fit = 0;
  while (fit + 1 < turns) {
    const std::int64_t middle = fit + (turns - fit) / 2;
    (begin_loop(middle, length, entry, unused) ? fit : turns) = middle;
  }
  reason_ = fit == 0 ? why : "";
  return fit;
}

/// The body is emitted until it finds each turn what it found before: registers that it sets once are set before the
/// loop, those that it changes, and those of loop instructions, are not known where it begins.
bool LoopPlanner::emit_loop(std::span<const LowLoop> loops, Code& code) {
  const LowLoop& loop = loops.front();
  const auto index = static_cast<std::size_t>(&loop - first_loop_);
  if (!add(addresses_.before_loop(index), code)) return false;
  std::vector<bool> pointer(seen_.size(), false);
  for (const int reg : addresses_.taken()) pointer[reg] = true;
  std::vector<bool> changes(seen_.size(), false);
  Settings hoisted;
  Code body;
  const auto entry = seen_;
  auto entered = entry;
  for (bool again = true, first_time = true; again; first_time = false) {
    again = false;
    seen_ = entry;
    Code before;
    if (!set(hoisted, before)) return false;
    entered = seen_;
    for (std::size_t r = 0; r < seen_.size(); ++r) {
      if (changes[r]) seen_[r] = std::nullopt;
    }
    for (const int reg : registers_of_loops()) seen_[reg] = std::nullopt;
    const auto begin = seen_;
    body.clear();
    Settings first;
    if (!emit_body(loops, body, first)) return false;
    if (first_time && !first.empty()) {
      for (const auto& write : first) {
        const auto same = [&](const RegisterWrite& known) { return known.reg == write.reg; };
        if (std::none_of(hoisted.begin(), hoisted.end(), same)) hoisted.push_back(write);
      }
      again = true;
      continue;
    }
    for (std::size_t r = 0; r < seen_.size(); ++r) {
      if (pointer[r] || !begin[r] || begin[r] == seen_[r]) continue;
      changes[r] = again = true;
      std::erase_if(hoisted, [&](const RegisterWrite& write) { return write.reg == static_cast<int>(r); });
    }
    if (!again) code.insert(code.end(), before.begin(), before.end());
  }
  if (!repeat(body, loop.turns, entered, code)) return false;
  for (const auto& [reg, value] : addresses_.after_loop(index)) seen_[reg] = value;
  return true;
}

/// The body in as many loops, one after another, as its turns take: it finds the same in each turn. `entry`: what is
/// known where the first of them stands; behind it that is what the body leaves.
bool LoopPlanner::repeat(const Code& body, std::int64_t turns, const std::vector<MaybeValue>& entry, Code& code) {
  const std::int64_t at_once = turns_that_fit(turns, std::ssize(body), entry);
  if (at_once == 0) return false;
  for (std::int64_t done = 0; done < turns; done += at_once) {
    if (std::ssize(code) + std::ssize(body) > most_in_nest) {
      reason_ = "its turns take too many loops";
      return false;
    }
    if (!begin_loop(std::min(at_once, turns - done), std::ssize(body), done == 0 ? entry : seen_, code)) return false;
    code.insert(code.end(), body.begin(), body.end());
  }
  return true;
}

LoopPlan LoopPlanner::plan(const OpList& list, std::span<const LowLoop> loops, const std::vector<MaybeValue>& known) {
  LoopPlan plan;
  list_ = &list;
  first_loop_ = loops.data();
  plan.reason = addresses_.assign(list, loops);
  if (!plan.reason.empty()) return plan;
  Code code;
  seen_ = known;
  Settings start;
  for (const auto& [reg, value] : addresses_.initial()) start.push_back({reg, value});
  const bool done = set(start, code);
  for (const int reg : addresses_.taken()) {
    const auto holds = [&](const AddressRegisters::Content& content) { return content.reg == reg; };
    const auto& initial = addresses_.initial();
    if (std::none_of(initial.begin(), initial.end(), holds)) seen_[reg] = std::nullopt;
  }
  if (!done || !emit_loop(loops, code)) {
    plan.reason = reason_;
    return plan;
  }
  for (auto& [instruction, statement] : code) {
    plan.code.push_back(std::move(instruction));
    plan.statements.push_back(statement);
  }
  plan.known = std::move(seen_);
  return plan;
}

}  // namespace accord
