#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

/// Values that a binding can take; doubles, since only far-off limits matter.
struct Span {
  double low = 0;
  double high = 0;
};

Span span_of(int bits, bool is_signed) {
  if (is_signed) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

/// What bindings can give. A register begins with 0; where nothing but fields set it, it holds what these can give, and
/// all that fits into it where that wraps.
class BindingValues {
 public:
  explicit BindingValues(const Isa& isa) : isa_(isa), registers_(static_cast<std::size_t>(isa.register_count)) {
    for (const Mnemonic& mnemonic : isa.mnemonics) {
      for (const RegisterUpdate& update : mnemonic.updates) add(mnemonic, update);
    }
  }

  Span of(const Mnemonic& mnemonic, const Binding& binding) const {
    Span span = constant_and_field(mnemonic, binding);
    if (binding.base == Binding::Base::none) return span;
    const Register& base = *register_of(isa_, binding.reg);
    Span values = span_of(base.bits, base.is_signed);
    const Known& known = registers_[static_cast<std::size_t>(binding.reg)];
    const bool wraps = known.values.low < values.low || known.values.high > values.high;
    const bool by_field = binding.base == Binding::Base::fixed_register && known.set && !known.otherwise;
    if (by_field && !any_otherwise_ && !wraps) values = known.values;
    return {span.low + values.low, span.high + values.high};
  }

 private:
  struct Known {
    bool set = false;        ///< from fields, to these values
    bool otherwise = false;  ///< written in another way
    Span values;
  };

  static Span constant_and_field(const Mnemonic& mnemonic, const Binding& binding) {
    const auto bias = static_cast<double>(binding.bias);
    if (binding.field < 0) return {bias, bias};
    const Field& field = mnemonic.fields[static_cast<std::size_t>(binding.field)];
    const Span values = span_of(field.bits, field.is_signed);
    const auto unit = static_cast<double>(binding.unit);
    return {bias + values.low * unit, bias + values.high * unit};
  }

  void add(const Mnemonic& mnemonic, const RegisterUpdate& update) {
    if (update.base == Binding::Base::none) return;
    if (update.base != Binding::Base::fixed_register) {
      any_otherwise_ = true;  // a field chooses which
      return;
    }
    Known& known = registers_[static_cast<std::size_t>(update.reg)];
    if (mnemonic.meaning != Meaning::set || update.amount.base != Binding::Base::none) {
      known.otherwise = true;
      return;
    }
    const Span values = constant_and_field(mnemonic, update.amount);
    known.set = true;
    known.values = {std::min(known.values.low, values.low), std::max(known.values.high, values.high)};
  }

  const Isa& isa_;
  std::vector<Known> registers_;
  bool any_otherwise_ = false;
};

/// Legal values of an argument; strides and scalars may be anything.
struct Legal {
  std::string name;
  Span values;
  const Memory* memory = nullptr;  ///< of an address
};

Legal address(const std::string& name, const Memory& memory) {
  return {name, {0, static_cast<double>(memory.capacity - 1)}, &memory};
}

std::vector<Legal> legal_arguments(const Architecture& architecture, const Route& route) {
  const auto memory = [&](int index) -> const Memory& {
    return architecture.memories[static_cast<std::size_t>(index)];
  };
  std::vector<Legal> legal = {address("src.base", memory(route.source)), address("dst.base", memory(route.target))};
  for (std::size_t d = 0; d < route.walk.size(); ++d) {
    legal.push_back({fmt::format("n{}", d), {1, static_cast<double>(route.walk[d].max)}});
  }
  return legal;
}

std::vector<Legal> legal_arguments(const Architecture& architecture, const Capability& capability) {
  std::vector<Legal> legal;
  for (const CapabilityDim& dim : capability.dims) {
    legal.push_back({dim.name, {static_cast<double>(dim.minimum), static_cast<double>(dim.maximum)}});
  }
  for (std::size_t i = 0; i < capability.operands.size(); ++i) {
    const int memory = capability.operands[i].memory;
    if (memory < 0) continue;
    legal.push_back(address(fmt::format("{}.base", capability.program.operands[i].name),
                            architecture.memories[static_cast<std::size_t>(memory)]));
  }
  return legal;
}

/// What is addressed in words needs to reach the last word only.
void check_reaches(Elaboration& elaboration, std::size_t index, const Legal& legal, const Binding& binding,
                   const Span& reach) {
  const auto unit = static_cast<double>(binding.field >= 0 ? std::max<std::int64_t>(binding.unit, 1) : 1);
  if (binding.field < 0 || reach.high + unit > legal.values.high) return;
  elaboration.scope.reporter().report("short-field", elaboration.mnemonic_places[index],
                                      fmt::format("{} of `{}` reaches {:.0f} of the {} B of `{}`", legal.name,
                                                  elaboration.architecture.isa.mnemonics[index].name, reach.high + unit,
                                                  legal.memory->capacity, legal.memory->name));
}

/// The legal arguments come first in the order of bindings: they are named and checked by position.
void check_arguments(Elaboration& elaboration, const BindingValues& possible, std::size_t index,
                     const std::vector<Legal>& legal) {
  const Mnemonic& mnemonic = elaboration.architecture.isa.mnemonics[index];
  for (std::size_t a = 0; a < legal.size(); ++a) {
    const Span reach = possible.of(mnemonic, mnemonic.arguments[a]);
    if (reach.low <= legal[a].values.high && reach.high >= legal[a].values.low) {
      if (legal[a].memory) check_reaches(elaboration, index, legal[a], mnemonic.arguments[a], reach);
      continue;
    }
    elaboration.scope.reporter().report(
        "useless-binding", elaboration.mnemonic_places[index],
        fmt::format("`{}` can give {} only values from {:.0f} to {:.0f}, but {:.0f} to {:.0f} are legal", mnemonic.name,
                    legal[a].name, reach.low, reach.high, legal[a].values.low, legal[a].values.high));
  }
}

/// A float scalar is given as the bits of an fp32; what is shorter holds hardly any number.
void check_float_scalars(Elaboration& elaboration, const BindingValues& possible, std::size_t index,
                         const Capability& capability) {
  const Mnemonic& mnemonic = elaboration.architecture.isa.mnemonics[index];
  const Span bits = span_of(32, false);
  const auto is_scalar = [](const CapabilityOperand& operand) { return operand.memory < 0; };
  auto argument = mnemonic.arguments.end() - std::ranges::count_if(capability.operands, is_scalar);
  for (std::size_t i = 0; i < capability.operands.size(); ++i) {
    if (!is_scalar(capability.operands[i])) continue;
    const Binding& binding = *argument++;
    const bool constant = binding.field < 0 && binding.base == Binding::Base::none;
    const Span reach = possible.of(mnemonic, binding);
    const Operand& operand = capability.program.operands[i];
    if (constant || !is_float(operand.type) || reach.high >= bits.high) continue;
    elaboration.scope.reporter().report(
        "short-scalar", elaboration.mnemonic_places[index],
        fmt::format(
            "`{}` of `{}` is given as the bits of an fp32, up to {:.0f}, and its binding holds {:.0f} to {:.0f}",
            operand.name, mnemonic.name, bits.high, reach.low, reach.high),
        "a field or register of 32 bits, not signed");
  }
}

/// Semaphores are numbered from 0.
void check_semaphore_numbers(Elaboration& elaboration, const BindingValues& possible, std::size_t index) {
  const Architecture& architecture = elaboration.architecture;
  const Mnemonic& mnemonic = architecture.isa.mnemonics[index];
  const double reach = possible.of(mnemonic, mnemonic.arguments[0]).high + 1;
  if (architecture.sync.kind != Sync::Kind::semaphores || reach >= architecture.sync.semaphores) return;
  elaboration.scope.reporter().report("short-field", elaboration.mnemonic_places[index],
                                      fmt::format("semaphore of `{}` reaches {:.0f} of the {} semaphores",
                                                  mnemonic.name, reach, architecture.sync.semaphores));
}

}  // namespace

void check_bindings(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const BindingValues possible(architecture.isa);
  for (std::size_t i = 0; i < architecture.isa.mnemonics.size(); ++i) {
    const Mnemonic& mnemonic = architecture.isa.mnemonics[i];
    const auto unit = static_cast<std::size_t>(mnemonic.unit);
    if (mnemonic.meaning == Meaning::transfer) {
      check_arguments(
          elaboration, possible, i,
          legal_arguments(architecture, architecture.units[unit].routes[static_cast<std::size_t>(mnemonic.route)]));
    } else if (mnemonic.meaning == Meaning::run) {
      const Capability& capability =
          architecture.units[unit].capabilities[static_cast<std::size_t>(mnemonic.capability)];
      check_arguments(elaboration, possible, i, legal_arguments(architecture, capability));
      check_float_scalars(elaboration, possible, i, capability);
    } else if (mnemonic.meaning == Meaning::wait || mnemonic.meaning == Meaning::signal) {
      check_semaphore_numbers(elaboration, possible, i);
    }
  }
}

}  // namespace accord
