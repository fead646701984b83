#include "compiler/codegen/address_registers.h"

#include <algorithm>

#include "archdsl/isa/emit.h"
#include "compiler/lowering/item_graph.h"

namespace accord {
namespace {

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

/// Whether a post-increment can be that much.
bool can_step(const Mnemonic& mnemonic, int update, std::int64_t amount) {
  const Binding& binding = mnemonic.updates[static_cast<std::size_t>(update)].amount;
  std::int64_t raw = 0;
  return binding.base == Binding::Base::none && displacement(mnemonic, binding, 0, amount, raw);
}

}  // namespace

bool displacement(const Mnemonic& mnemonic, const Binding& binding, std::int64_t held, std::int64_t value,
                  std::int64_t& raw) {
  const std::int64_t rest = value - held - binding.bias;
  raw = 0;
  if (binding.field < 0) return rest == 0;
  if (rest % binding.unit != 0) return false;
  raw = rest / binding.unit;
  return fits(mnemonic.fields[binding.field], raw);
}

int AddressRegisters::registers_in(int file) const {
  const Register* reg = register_of(isa_, file);
  return reg == nullptr ? 0 : reg->count;
}

/// Whether the register grows with the loops that it is used in as the current argument does.
bool AddressRegisters::alike(const Pointer& pointer) const {
  return std::equal(pointer.grows.begin(), pointer.grows.end(), growth_.begin());
}

/// What a register that begins so reaches in the turns of all open loops, growing as the current argument does; false
/// where it would wrap.
bool AddressRegisters::stays(int file, std::int64_t begins) const {
  std::int64_t low = begins, high = begins;
  for (std::size_t depth = 0; depth < open_.size(); ++depth) {
    const std::int64_t grown = growth_[depth] * (first_loop_[open_[depth]].turns - 1);
    (grown < 0 ? low : high) += grown;
  }
  const Register& reg = *register_of(isa_, file);
  return wrap(reg, low) == low && wrap(reg, high) == high;
}

/// A content from which the argument reaches the value, by no displacement if that may be, and which stays within the
/// register.
std::optional<std::int64_t> AddressRegisters::content_for(const Mnemonic& mnemonic, const Binding& binding,
                                                          std::int64_t value) const {
  const std::int64_t direct = value - binding.bias;
  if (stays(binding.reg, direct)) return direct;
  if (binding.field < 0 || binding.unit <= 0) return std::nullopt;
  // The whole displacement, where part of it would do: addresses grow, and what lies close before shares the register.
  std::int64_t raw = 0;
  const std::int64_t content = direct - highest_raw(mnemonic.fields[binding.field]) * binding.unit;
  for (const std::int64_t least : {std::max<std::int64_t>(content, direct % binding.unit), content}) {
    if (stays(binding.reg, least) && displacement(mnemonic, binding, least, value, raw)) return least;
  }
  return std::nullopt;
}

/// A register that reaches the value as it is: one in use in all open loops (`entered`), or not in the innermost.
AddressRegisters::Pointer* AddressRegisters::reaching(const Mnemonic& mnemonic, const Binding& binding,
                                                      std::int64_t value, bool entered) {
  std::int64_t raw = 0;
  for (auto& pointer : pointers_) {
    if (pointer.file != binding.reg || (pointer.grows.size() == open_.size()) != entered || !alike(pointer)) continue;
    if (stays(pointer.file, pointer.value) && displacement(mnemonic, binding, pointer.value, value, raw))
      return &pointer;
  }
  return nullptr;
}

AddressRegisters::Pointer* AddressRegisters::created(const Binding& binding, std::int64_t content) {
  const auto taken = std::count_if(pointers_.begin(), pointers_.end(),
                                   [&](const Pointer& pointer) { return pointer.file == binding.reg; });
  // The last ones are for addresses that grow as no other does.
  const int left = registers_in(binding.reg) - static_cast<int>(taken);
  const bool others = movable(binding, false) != nullptr || movable(binding, true) != nullptr;
  if (left == 0 || (others && 4 * left <= registers_in(binding.reg))) return nullptr;
  if (taken == 0) {
    for (int r = 0; r < registers_in(binding.reg); ++r) taken_.push_back(binding.reg + r);
  }
  const int reg = binding.reg + static_cast<int>(taken);
  initial_.push_back({reg, content});
  pointers_.push_back({binding.reg, reg, content, {}, {}, 0, {}});
  return &pointers_.back();
}

/// The register that has not been used for longest.
AddressRegisters::Pointer* AddressRegisters::movable(const Binding& binding, bool entered) {
  Pointer* oldest = nullptr;
  for (auto& pointer : pointers_) {
    if (pointer.file != binding.reg || (pointer.grows.size() == open_.size()) != entered || !alike(pointer)) continue;
    if (oldest == nullptr || pointer.used < oldest->used) oldest = &pointer;
  }
  return oldest;
}

/// Moves the register on: by the last instruction that went through it in this body, else by an add.
void AddressRegisters::move(Pointer& pointer, std::int64_t to, std::vector<Add>& adds) {
  const std::int64_t amount = to - pointer.value;
  if (amount == 0) return;
  pointer.value = to;
  const LastUse last = std::exchange(pointer.last, {});
  if (last.depth == pointer.grows.size() && last.depth > 0) {
    const Mnemonic& mnemonic = isa_.mnemonics[list_->ops[last.op].mnemonic];
    const int update = update_of(mnemonic, mnemonic.arguments[last.argument]);
    const std::pair key(last.op, static_cast<std::size_t>(std::max(update, 0)));
    if (update >= 0 && increments_.count(key) == 0 && can_step(mnemonic, update, amount)) {
      increments_[key] = amount;
      return;
    }
  }
  adds.push_back({pointer.reg, pointer.file, amount});
}

/// Makes it `value` when the outermost loop begins that it is not used in yet, and used in all.
void AddressRegisters::enter(Pointer& pointer, std::int64_t value) {
  const std::size_t from = pointer.grows.size();
  if (from == open_.size()) return;
  move(pointer, value, before_loop_[open_[from]]);
  pointer.last = {};
  for (std::size_t depth = from; depth < open_.size(); ++depth) {
    pointer.grows.push_back(growth_[depth]);
    pointer.starts.push_back(pointer.value);
  }
}

void AddressRegisters::use(Pointer& pointer, std::size_t op, std::size_t argument) {
  pointer.used = ++clock_;
  pointer.last = {op, argument, open_.size()};
  through_[{op, argument}] = pointer.reg;
}

bool AddressRegisters::place(const Mnemonic& mnemonic, std::size_t op, std::size_t argument, std::int64_t value) {
  const Binding& binding = mnemonic.arguments[argument];
  Pointer* pointer = reaching(mnemonic, binding, value, true);
  if (pointer == nullptr && (pointer = reaching(mnemonic, binding, value, false)) != nullptr) {
    enter(*pointer, pointer->value);
  }
  const auto content = pointer == nullptr ? content_for(mnemonic, binding, value) : std::nullopt;
  if (pointer == nullptr && !content) {
    reason_ = "an address register is too narrow for what a loop reaches";
    return false;
  }
  if (pointer == nullptr) {
    if ((pointer = created(binding, *content)) != nullptr || (pointer = movable(binding, false)) != nullptr) {
      enter(*pointer, *content);
    } else if ((pointer = movable(binding, true)) != nullptr) {
      move(*pointer, *content, before_operation_[op]);
    } else {
      reason_ = "too few address registers";
      return false;
    }
  }
  use(*pointer, op, argument);
  return true;
}

bool AddressRegisters::visit_operation(const OpList& list, std::size_t at) {
  const LowOp& op = list.ops[at];
  const Mnemonic& mnemonic = isa_.mnemonics[op.mnemonic];
  for (std::uint32_t v = 0; v < op.count; ++v) {
    growth_.clear();
    for (const std::size_t loop : open_) {
      const LowLoop& around = first_loop_[loop];
      growth_.push_back(around.deltas[op.first - list.ops[around.first].first + v]);
    }
    const MaybeValue& value = list.values[op.first + v];
    if (value && mnemonic.arguments[v].base == Binding::Base::indexed_register) {
      if (!place(mnemonic, at, v, *value)) return false;
    } else if (std::any_of(growth_.begin(), growth_.end(), [](std::int64_t g) { return g != 0; })) {
      reason_ = "an argument cannot advance";
      return false;
    }
  }
  return true;
}

/// What goes on with the next turn begins it one step further on.
void AddressRegisters::leave(std::size_t loop, std::int64_t turns) {
  for (auto& pointer : pointers_) {
    if (pointer.grows.size() != open_.size()) continue;
    const std::int64_t start = pointer.starts.back(), grows = pointer.grows.back();
    move(pointer, start + grows, at_end_[loop]);
    pointer.value = wrap(*register_of(isa_, pointer.file), start + grows * turns);
    pointer.last = {};
    pointer.grows.pop_back();
    pointer.starts.pop_back();
    after_loop_[loop].push_back({pointer.reg, pointer.value});
  }
}

bool AddressRegisters::visit(const OpList& list, std::span<const LowLoop> loops) {
  const LowLoop& loop = loops.front();
  const auto index = static_cast<std::size_t>(&loop - first_loop_);
  open_.push_back(index);
  loops = loops.subspan(1);
  for (std::size_t at = loop.first; at < loop.first + loop.length;) {
    if (loops.empty() || loops.front().first != at) {
      if (!visit_operation(list, at++)) return false;
      continue;
    }
    const auto inner = with_inner(loops);
    if (!visit(list, inner)) return false;
    at += inner.front().length;
    loops = loops.subspan(inner.size());
  }
  leave(index, loop.turns);
  open_.pop_back();
  return true;
}

std::string AddressRegisters::assign(const OpList& list, std::span<const LowLoop> loops) {
  list_ = &list;
  first_loop_ = loops.data();
  visit(list, loops);
  return reason_;
}

}  // namespace accord
