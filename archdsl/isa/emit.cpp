#include "archdsl/isa/emit.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <limits>

#include "archdsl/isa/int128.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::size_t most_fields = 1024;

std::int64_t clamp_to_int64(Int128 value) {
  const Int128 low = std::numeric_limits<std::int64_t>::min();
  const Int128 high = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, low, high));
}

// Least and greatest content of a register, as of a field of its width.
Field as_field(const Register& reg) { return {reg.name, 0, reg.bits, reg.is_signed}; }

}  // namespace

std::vector<std::string> argument_names(const Architecture& architecture, const Mnemonic& mnemonic) {
  switch (mnemonic.meaning) {
    case Meaning::transfer:
    case Meaning::run: {
      const Unit& unit = architecture.units[static_cast<std::size_t>(mnemonic.unit)];
      if (mnemonic.meaning == Meaning::transfer) {
        return transfer_arguments(unit.routes[static_cast<std::size_t>(mnemonic.route)]);
      }
      return run_arguments(unit.capabilities[static_cast<std::size_t>(mnemonic.capability)]);
    }
    case Meaning::loop: return {"count", "length"};
    case Meaning::wait:
    case Meaning::signal: return {"semaphore"};
    case Meaning::set:
    case Meaning::add:
    case Meaning::fence: break;
  }
  return {};
}

Emitter::Emitter(const Architecture& architecture) : Emitter(architecture.isa) { architecture_ = &architecture; }

Emitter::Emitter(const Isa& isa) : isa_(isa) {
  for (const Register& reg : isa.registers) {
    const auto end = static_cast<std::size_t>(reg.first + reg.count);
    registers_.resize(std::max(registers_.size(), end), nullptr);
    std::fill(registers_.begin() + reg.first, registers_.begin() + reg.first + reg.count, &reg);
  }
  settables_.resize(registers_.size());
  for (std::size_t m = 0; m < isa.mnemonics.size(); ++m) {
    const Mnemonic& mnemonic = isa.mnemonics[m];
    if (mnemonic.fields.size() > most_fields) throw Error("mnemonic `" + mnemonic.name + "` has over 1024 fields");
    Plan& plan = plans_.emplace_back();
    int argument = 0;
    for (const Binding& binding : mnemonic.arguments) add_term(plan, mnemonic, binding, argument++);
    for (const RegisterUpdate& update : mnemonic.updates) add_term(plan, mnemonic, update.amount, argument++);
    const bool from_fields = std::all_of(mnemonic.updates.begin(), mnemonic.updates.end(),
                                         [](const RegisterUpdate& u) { return u.amount.base == Binding::Base::none; });
    if (mnemonic.meaning != Meaning::set || !from_fields) continue;
    setters_.push_back(static_cast<int>(m));
    for (const RegisterUpdate& update : mnemonic.updates) add_settable(mnemonic, update);
  }
  const auto width = [](const Settable& s) { return static_cast<Int128>(s.highest) - s.lowest; };
  for (auto& ways : settables_) {
    std::stable_sort(ways.begin(), ways.end(),
                     [&](const Settable& a, const Settable& b) { return width(a) > width(b); });
  }
}

void Emitter::add_term(Plan& plan, const Mnemonic& mnemonic, const Binding& binding, int argument) const {
  Term term{
      argument, binding.unit == 0 ? -1 : binding.field, binding.unit, binding.bias, 0, 0, exact_log2(binding.unit)};
  if (term.field >= 0) {
    const Field& field = mnemonic.fields[static_cast<std::size_t>(term.field)];
    term.lowest = lowest_raw(field);
    term.highest = highest_raw(field);
  }
  if (binding.base == Binding::Base::none) {
    plan.fields.push_back(term);
    return;
  }
  std::vector<RegisterGroup>* groups = &plan.registers;
  int count = 1;
  if (binding.base == Binding::Base::indexed_register) {
    auto found = std::find_if(plan.indexed.begin(), plan.indexed.end(),
                              [&](const IndexGroup& group) { return group.index_field == binding.index_field; });
    const auto index_field = static_cast<std::size_t>(binding.index_field);
    if (found == plan.indexed.end()) {
      const std::int64_t highest = highest_raw(mnemonic.fields[index_field]);
      const std::int64_t most = std::numeric_limits<std::int64_t>::max();
      plan.indexed.push_back({binding.index_field, highest == most ? most : highest + 1, {}});
      found = plan.indexed.end() - 1;
    }
    const Register* file = registers_[static_cast<std::size_t>(binding.reg)];
    count = file->first + file->count - binding.reg;
    found->count = std::min<std::int64_t>(found->count, count);
    groups = &found->groups;
  }
  auto group = std::find_if(groups->begin(), groups->end(),
                            [&](const RegisterGroup& candidate) { return candidate.reg == binding.reg; });
  if (group == groups->end()) group = groups->insert(groups->end(), RegisterGroup{binding.reg, count, {}});
  group->terms.push_back(term);
}

void Emitter::add_settable(const Mnemonic& mnemonic, const RegisterUpdate& update) {
  const Binding& amount = update.amount;
  Int128 low = amount.bias;
  Int128 high = amount.bias;
  std::int64_t multiple = 1;
  const Register* reg = registers_[static_cast<std::size_t>(update.reg)];
  const Field whole = as_field(*reg);
  if (amount.field >= 0 && amount.unit != 0) {
    const Field& field = mnemonic.fields[static_cast<std::size_t>(amount.field)];
    multiple = amount.unit > 0 ? amount.unit : clamp_to_int64(-static_cast<Int128>(amount.unit));
    low += static_cast<Int128>(lowest_raw(field)) * amount.unit;
    high += static_cast<Int128>(highest_raw(field)) * amount.unit;
    if (low > high) std::swap(low, high);
    // A field as wide as the register reaches every content by wrapping around.
    if (multiple == 1 && field.bits >= reg->bits) {
      low = lowest_raw(whole);
      high = highest_raw(whole);
    }
  }
  low = std::max(low, static_cast<Int128>(lowest_raw(whole)));
  high = std::min(high, static_cast<Int128>(highest_raw(whole)));
  if (low > high) return;
  const std::int64_t remainder = ((amount.bias % multiple) + multiple) % multiple;
  const Settable settable{clamp_to_int64(low), clamp_to_int64(high), multiple, remainder};
  int count = 1;
  if (update.base == Binding::Base::indexed_register) {
    const auto index_field = static_cast<std::size_t>(update.index_field);
    const std::int64_t reach = highest_raw(mnemonic.fields[index_field]);
    count = static_cast<int>(std::min<std::int64_t>(reach, reg->first + reg->count - update.reg - 1)) + 1;
  }
  for (int i = 0; i < count; ++i) settables_[static_cast<std::size_t>(update.reg + i)].push_back(settable);
}

std::string Emitter::argument_name(int mnemonic, int argument) const {
  const Mnemonic& m = isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
  const auto index = static_cast<std::size_t>(argument);
  if (index >= m.arguments.size()) {
    const RegisterUpdate& update = m.updates[index - m.arguments.size()];
    return "new value of `" + registers_[static_cast<std::size_t>(update.reg)]->name + "`";
  }
  if (architecture_ != nullptr) {
    const std::vector<std::string> names = argument_names(*architecture_, m);
    if (index < names.size()) return names[index];
  }
  return "argument " + std::to_string(argument);
}

std::string Emitter::register_name(int number) const {
  const Register& reg = *registers_[static_cast<std::size_t>(number)];
  return reg.count == 1 ? reg.name : reg.name + "[" + std::to_string(number - reg.first) + "]";
}

void Emitter::track(const Instruction& instruction, std::span<MaybeValue> known) const {
  const Mnemonic& mnemonic = isa_.mnemonics[static_cast<std::size_t>(instruction.mnemonic)];
  if (mnemonic.updates.empty()) return;
  const auto number = [&](Binding::Base base, int reg, int index_field) {
    const bool indexed = base == Binding::Base::indexed_register;
    return static_cast<std::size_t>(reg + (indexed ? instruction.fields[static_cast<std::size_t>(index_field)] : 0));
  };
  const auto result = [&](const RegisterUpdate& update, std::size_t target) -> MaybeValue {
    Binding amount = update.amount;
    std::uint64_t sum = 0;  // wraps
    if (amount.base != Binding::Base::none) {
      const MaybeValue& source = known[number(amount.base, amount.reg, amount.index_field)];
      if (!source) return std::nullopt;
      sum += static_cast<std::uint64_t>(*source);
      amount.base = Binding::Base::none;
    }
    if (mnemonic.meaning != Meaning::set) {
      if (!known[target]) return std::nullopt;
      sum += static_cast<std::uint64_t>(*known[target]);
    }
    sum += static_cast<std::uint64_t>(value_of(amount, instruction.fields, {}));
    return wrap(*registers_[target], static_cast<std::int64_t>(sum));
  };
  // All amounts are read before any register changes.
  boost::container::small_vector<MaybeValue, 16> results;
  for (const RegisterUpdate& update : mnemonic.updates) {
    results.push_back(result(update, number(update.base, update.reg, update.index_field)));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RegisterUpdate& update = mnemonic.updates[i];
    known[number(update.base, update.reg, update.index_field)] = results[i];
  }
}

}  // namespace accord
