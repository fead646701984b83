#include "compiler/mapping/limits.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "archdsl/graph/rates.h"
#include "archdsl/isa/emit.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/carriers.h"

namespace accord {
namespace {

std::int64_t greatest(int bits, bool is_signed) {
  return (std::int64_t{1} << std::min(bits - (is_signed ? 1 : 0), 62)) - 1;
}

/// Greatest value that the binding's field, if it has one, and bias give.
std::int64_t greatest_of_field(const Mnemonic& mnemonic, const Binding& binding) {
  if (binding.field < 0) return binding.bias;
  const Field& field = mnemonic.fields[binding.field];
  const std::int64_t raw = greatest(field.bits, field.is_signed);
  return binding.bias + (raw > (std::int64_t{1} << 40) / binding.unit ? raw : raw * binding.unit);
}

/// Greatest content that instructions which set the register can give it.
std::int64_t greatest_content(const Isa& isa, int number) {
  const Register* reg = register_of(isa, number);
  if (reg == nullptr) return 0;
  const std::int64_t widest = greatest(reg->bits, reg->is_signed);
  std::int64_t most = -1;
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    if (mnemonic.meaning != Meaning::set) continue;
    for (const RegisterUpdate& update : mnemonic.updates) {
      const bool sets =
          update.base == Binding::Base::fixed_register ? update.reg == number : register_of(isa, update.reg) == reg;
      if (!sets) continue;
      if (update.amount.base != Binding::Base::none) return widest;
      most = std::max(most, greatest_of_field(mnemonic, update.amount));
    }
  }
  return most < 0 ? widest : std::min(most, widest);
}

/// Greatest value that a binding can give.
std::int64_t greatest(const Isa& isa, const Mnemonic& mnemonic, const Binding& binding) {
  const bool has_register = binding.base != Binding::Base::none;
  return greatest_of_field(mnemonic, binding) + (has_register ? greatest_content(isa, binding.reg) : 0);
}

/// What the binding's values are multiples of: its field's unit or, where a register alone gives them, the least unit
/// in which one is set.
std::int64_t unit_of(const Isa& isa, const Binding& binding) {
  if (binding.base == Binding::Base::none) return binding.field >= 0 ? binding.unit : 1;
  if (binding.base != Binding::Base::fixed_register || binding.field >= 0 || binding.bias != 0) return 1;
  std::int64_t least = 0;
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    for (const RegisterUpdate& update : mnemonic.updates) {
      if (update.reg != binding.reg && update.base == Binding::Base::fixed_register) continue;
      const bool by_field = mnemonic.meaning == Meaning::set && update.base == Binding::Base::fixed_register &&
                            update.amount.base == Binding::Base::none && update.amount.field >= 0 &&
                            update.amount.bias == 0;
      if (!by_field) return 1;
      least = std::gcd(least, update.amount.unit);
    }
  }
  return std::max<std::int64_t>(least, 1);
}

bool is_constant(const Binding& binding) { return binding.base == Binding::Base::none && binding.field < 0; }

void limit_step(Step& step, const Binding& binding) {
  if (step.kind == Step::Kind::free && is_constant(binding)) step = {Step::Kind::fixed, binding.bias};
}

TransferPace pace_of(const Architecture& architecture, const Unit& unit, const Route& route) {
  const Memory& source = architecture.memories[route.source];
  TransferPace pace;
  pace.asks_at_target = architecture.memories[route.target].off_chip;
  pace.request = unit.request;
  pace.each = static_cast<double>(std::max<std::int64_t>(unit.period.cycles(unit.setup), 1));
  // Without the way's: elements that are alike, near and far, are to walk alike.
  const auto latency = static_cast<double>(latency_of(source) + 2);
  const double beat = static_cast<double>(unit.period.numerator) / static_cast<double>(unit.period.denominator);
  pace.per_request = std::max(beat, latency / static_cast<double>(unit.in_flight));
  pace.per_byte = 1 / bytes_per_cycle(architecture, route);
  const Memory& other = pace.asks_at_target ? source : architecture.memories[route.target];
  const auto ports = static_cast<double>(pace.asks_at_target ? other.read_ports : other.write_ports);
  pace.word = other.word;
  pace.per_word = static_cast<double>(word_period(other).cycles(1)) / ports;
  return pace;
}

RouteLimits limit_route(const Architecture& architecture, int index, int unit) {
  const Mnemonic& mnemonic = architecture.isa.mnemonics[index];
  const Route& route = architecture.units[unit].routes[mnemonic.route];
  const auto names = transfer_arguments(route);
  RouteLimits limits;
  limits.mnemonic = index;
  limits.walk = route.walk;
  limits.pace = pace_of(architecture, architecture.units[unit], route);
  for (std::size_t a = 0; a < names.size(); ++a) {
    const Binding& binding = mnemonic.arguments[a];
    const std::string& name = names[a];
    const std::int64_t counted = unit_of(architecture.isa, binding);
    if (name == "src.base") limits.source_unit = counted;
    if (name == "dst.base") limits.target_unit = counted;
    if (name.starts_with("src.stride")) limits.source_steps = std::lcm(limits.source_steps, counted);
    if (name.starts_with("dst.stride")) limits.target_steps = std::lcm(limits.target_steps, counted);
    const auto digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size()) continue;
    WalkDim& dim = limits.walk[std::stoul(name.substr(digits))];
    if (name.starts_with("n")) dim.max = std::min(dim.max, greatest(architecture.isa, mnemonic, binding));
    if (name == "n0" && !is_constant(binding) && binding.bias % counted == 0) limits.run_unit = counted;
    if (name.starts_with("src.stride")) limit_step(dim.source, binding);
    if (name.starts_with("dst.stride")) limit_step(dim.target, binding);
  }
  std::int64_t& longest = limits.walk[0].max;
  if (limits.run_unit > longest) limits.run_unit = 1;  // left to encoding
  longest = longest / limits.run_unit * limits.run_unit;
  return limits;
}

/// Counts that the binding gives: one alone, or multiples of its unit from its bias on. A bias between multiples is
/// left to encoding.
void limit_counts(const Isa& isa, const Binding& binding, CapabilityDim& dim) {
  if (is_constant(binding)) {
    if (binding.bias >= dim.minimum && binding.bias <= dim.maximum) dim.minimum = dim.maximum = binding.bias;
    return;
  }
  const std::int64_t unit = unit_of(isa, binding), multiple = std::lcm(dim.multiple, unit);
  if (binding.bias % unit != 0 || multiple > dim.maximum || binding.bias > dim.maximum) return;
  dim.multiple = multiple;
  dim.minimum = std::max(dim.minimum, binding.bias);
}

constexpr int no_instruction = std::numeric_limits<int>::max();  ///< is needed

/// Of a capability that leaves in place what lies there.
RunLimits unlimited_run(const Capability& capability) {
  const std::vector<std::int64_t> any(capability.operands.size(), 1);
  return {-1, capability.dims, any, any};
}

RunLimits limit_run(const Architecture& architecture, int index, int unit) {
  const Mnemonic& mnemonic = architecture.isa.mnemonics[index];
  const Capability& capability = architecture.units[unit].capabilities[mnemonic.capability];
  RunLimits limits{index, capability.dims, {}, {}};
  for (std::size_t d = 0; d < limits.dims.size(); ++d) {
    CapabilityDim& dim = limits.dims[d];
    dim.maximum = std::min(dim.maximum, greatest(architecture.isa, mnemonic, mnemonic.arguments[d]));
    limit_counts(architecture.isa, mnemonic.arguments[d], dim);
    const std::int64_t padded = std::max(dim.multiple, dim.minimum);  // counts come in multiples of it
    dim.maximum = std::max(dim.maximum / padded * padded, dim.minimum);
  }
  const auto names = run_arguments(capability);
  for (const auto& operand : capability.program.operands) {
    std::int64_t base = 1, steps = 1;
    for (std::size_t a = 0; a < names.size(); ++a) {
      const std::int64_t counted = unit_of(architecture.isa, mnemonic.arguments[a]);
      if (names[a] == operand.name + ".base") base = std::lcm(base, counted);
      if (names[a].starts_with(operand.name + ".stride")) steps = std::lcm(steps, counted);
    }
    limits.units.push_back(std::lcm(base, steps));
    limits.steps.push_back(steps);
  }
  return limits;
}

/// Whether one instruction can be all that the other can, and more.
bool outdoes(const RouteLimits& one, const RouteLimits& other) {
  const auto divides = [](std::int64_t finer, std::int64_t coarser) { return coarser % finer == 0; };
  if (!divides(one.source_unit, other.source_unit) || !divides(one.target_unit, other.target_unit) ||
      !divides(one.run_unit, other.run_unit) || !divides(one.source_steps, other.source_steps) ||
      !divides(one.target_steps, other.target_steps)) {
    return false;
  }
  const auto covers = [](const Step& mine, const Step& others) {
    return mine.kind == Step::Kind::free || (others.kind != Step::Kind::free && mine.bytes == others.bytes);
  };
  bool more = false;
  for (std::size_t d = 0; d < one.walk.size(); ++d) {
    const WalkDim &mine = one.walk[d], &others = other.walk[d];
    if (mine.max < others.max || !covers(mine.source, others.source) || !covers(mine.target, others.target)) {
      return false;
    }
    more |= mine.max > others.max || mine.source.kind != others.source.kind || mine.target.kind != others.target.kind;
  }
  return more;
}

bool outdoes(const RunLimits& one, const RunLimits& other) {
  bool more = false;
  for (std::size_t d = 0; d < one.dims.size(); ++d) {
    const CapabilityDim &mine = one.dims[d], &others = other.dims[d];
    more |= mine.maximum > others.maximum || mine.minimum < others.minimum || mine.multiple < others.multiple;
  }
  return more && covers(one, other);
}

/// The elements that the mnemonic chooses from, or its one unit.
std::vector<int> driven_units(const Mnemonic& mnemonic) {
  if (mnemonic.units.empty()) return {mnemonic.unit};
  std::vector<int> units;
  std::copy_if(mnemonic.units.begin(), mnemonic.units.end(), std::back_inserter(units), [](int u) { return u >= 0; });
  return units;
}

}  // namespace

int nameable_semaphores(const Architecture& architecture) {
  std::int64_t count = architecture.sync.semaphores;
  for (const Mnemonic& mnemonic : architecture.isa.mnemonics) {
    if (mnemonic.meaning != Meaning::wait && mnemonic.meaning != Meaning::signal) continue;
    count = std::min(count, greatest(architecture.isa, mnemonic, mnemonic.arguments.front()) + 1);
  }
  return static_cast<int>(count);
}

bool covers(const RunLimits& one, const RunLimits& other) {
  for (std::size_t d = 0; d < one.dims.size(); ++d) {
    const CapabilityDim &mine = one.dims[d], &others = other.dims[d];
    if (mine.maximum < others.maximum || mine.minimum > others.minimum || others.multiple % mine.multiple != 0) {
      return false;
    }
  }
  for (std::size_t o = 0; o < one.units.size(); ++o) {
    if (other.units[o] % one.units[o] != 0 || other.steps[o] % one.steps[o] != 0) return false;
  }
  return true;
}

double TransferPace::cycles(std::int64_t bytes, std::int64_t row, std::int64_t together) const {
  const std::int64_t runs = ceil_div(bytes, together), chunk = std::min(together, request);
  const double requests = static_cast<double>(runs * ceil_div(together, request));
  const double words = static_cast<double>(ceil_div(bytes, row) * ceil_div(row, word));
  return std::max({each, requests * std::max(per_request, static_cast<double>(chunk) * per_byte), words * per_word});
}

Limits::Limits(const Architecture& architecture) : architecture_(architecture) {
  for (const Unit& unit : architecture.units) {
    routes_.emplace_back(unit.routes.size());
    auto& runs = runs_.emplace_back(unit.capabilities.size());
    for (std::size_t c = 0; c < runs.size(); ++c) {
      if (leaves_in_place(unit.capabilities[c])) runs[c].mnemonic = no_instruction;
    }
  }
  const auto drive = [&](auto& driven, int mnemonic, int unit, const auto& limit) {
    const auto better = [&] {
      return outdoes(limit(architecture, mnemonic, unit), limit(architecture, driven.mnemonic, unit));
    };
    if (driven.mnemonic == no_instruction) return;
    if (driven.mnemonic < 0 || better()) driven.mnemonic = mnemonic;
  };
  for (std::size_t m = 0; m < architecture.isa.mnemonics.size(); ++m) {
    const Mnemonic& mnemonic = architecture.isa.mnemonics[m];
    const int index = static_cast<int>(m);
    if (mnemonic.meaning == Meaning::transfer) {
      // No copy of a planner's has a list of indices to gather by.
      if (architecture.units[mnemonic.unit].routes[mnemonic.route].gather) continue;
      for (const int unit : driven_units(mnemonic)) drive(routes_[unit][mnemonic.route], index, unit, limit_route);
    } else if (mnemonic.meaning == Meaning::run) {
      for (const int unit : driven_units(mnemonic)) drive(runs_[unit][mnemonic.capability], index, unit, limit_run);
    }
  }
}

Limits::Limits(const Limits& like, const Architecture& architecture) : architecture_(architecture) {
  const auto take_mnemonics = [](const auto& from, auto& to) {
    for (const auto& unit : from) {
      auto& taken = to.emplace_back(unit.size());
      for (std::size_t i = 0; i < unit.size(); ++i) taken[i].mnemonic = unit[i].mnemonic;
    }
  };
  take_mnemonics(like.routes_, routes_);
  take_mnemonics(like.runs_, runs_);
}

const RouteLimits* Limits::route(int unit, int route) const {
  auto& [mnemonic, asked, limits] = routes_[unit][route];
  if (mnemonic < 0) return nullptr;
  std::call_once(asked, [&, driven = mnemonic, &found = limits] { found = limit_route(architecture_, driven, unit); });
  return &*limits;
}

const RunLimits* Limits::run(int unit, int capability) const {
  auto& [mnemonic, asked, limits] = runs_[unit][capability];
  if (mnemonic < 0) return nullptr;
  std::call_once(asked, [&, driven = mnemonic, &found = limits] {
    found = driven == no_instruction ? unlimited_run(architecture_.units[unit].capabilities[capability])
                                     : limit_run(architecture_, driven, unit);
  });
  return &*limits;
}

int Limits::mnemonic_for(Meaning meaning, int unit) const {
  for (std::size_t m = 0; m < architecture_.isa.mnemonics.size(); ++m) {
    const Mnemonic& mnemonic = architecture_.isa.mnemonics[m];
    if (mnemonic.meaning == meaning && (unit < 0 || goes_to(mnemonic, unit))) return static_cast<int>(m);
  }
  return -1;
}

bool Limits::loops() const {
  if (architecture_.controller.loop_depth == 0 || mnemonic_for(Meaning::loop) < 0) return false;
  return std::ranges::any_of(architecture_.isa.mnemonics, [](const Mnemonic& mnemonic) {
    return std::ranges::find(mnemonic.arguments, Binding::Base::indexed_register, &Binding::base) !=
           mnemonic.arguments.end();
  });
}

}  // namespace accord
