#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <limits>
#include <utility>

#include "archdsl/isa/emit.h"
#include "archdsl/isa/int128.h"

namespace accord {
namespace {

Int128 floor_mod(Int128 value, Int128 modulus) {
  const Int128 remainder = value % modulus;
  return remainder < 0 ? remainder + modulus : remainder;
}

/// Contents that remain possible for a register: an interval and a congruence.
struct Candidates {
  static constexpr Int128 widest_modulus = Int128{1} << 62;

  Int128 low = 0;
  Int128 high = 0;
  Int128 modulus = 1;
  Int128 remainder = 0;

  void narrow(Int128 from, Int128 to) {
    low = std::max(low, std::min(from, to));
    high = std::min(high, std::max(from, to));
  }

  /// Adds value = r (mod m); false where the congruences contradict each other (or their moduli grow absurd).
  bool require(Int128 r, Int128 m) {
    r = floor_mod(r, m);
    if (m == 1) return true;
    Int128 a = modulus, b = m, x = 1, y = 0;  // Euclid: gcd in a, with x * modulus = gcd (mod m)
    while (b != 0) {
      const Int128 quotient = a / b;
      a = std::exchange(b, a - quotient * b);
      x = std::exchange(y, x - quotient * y);
    }
    const Int128 difference = r - remainder;
    if (difference % a != 0) return false;
    const Int128 combined = modulus / a * m;
    if (combined > widest_modulus) return false;
    const Int128 steps = floor_mod(floor_mod(difference / a, m / a) * floor_mod(x, m / a), m / a);
    remainder = floor_mod(remainder + modulus * steps, combined);
    modulus = combined;
    return true;
  }

  /// The greatest possible value up to `target`, else the least beyond it.
  std::optional<std::int64_t> nearest(Int128 target) const {
    if (low > high) return std::nullopt;
    target = std::clamp(target, low, high);
    Int128 value = target - floor_mod(target - remainder, modulus);
    if (value < low) value += modulus;
    if (value > high) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
};

}  // namespace

struct Emitter::Solver {
  const Emitter& emitter;
  const int mnemonic;
  const std::span<const MaybeValue> values;
  const std::span<const MaybeValue> known;
  Emission& out;
  std::bitset<1024> pinned{};
  std::vector<int> relied{};  ///< registers whose content this instruction uses (kept where indices are chosen)

  bool wanted(const Term& term) const {
    const auto argument = static_cast<std::size_t>(term.argument);
    return argument < values.size() && values[argument].has_value();
  }

  std::int64_t value(const Term& term) const { return *values[static_cast<std::size_t>(term.argument)]; }

  const Field& field(int index) const {
    return emitter.isa_.mnemonics[static_cast<std::size_t>(mnemonic)].fields[static_cast<std::size_t>(index)];
  }

  std::int64_t& raw(int field_index) { return out.instruction.fields[static_cast<std::size_t>(field_index)]; }

  /// Raw value such that raw * unit + bias = wanted - base; nullopt where there is none that fits.
  std::optional<std::int64_t> raw_of(const Term& term, std::int64_t base) const {
    std::int64_t rest = 0;
    if (__builtin_sub_overflow(value(term), base, &rest) || __builtin_sub_overflow(rest, term.bias, &rest)) {
      return std::nullopt;
    }
    if (term.field < 0) return rest == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    std::int64_t result = 0;
    if (term.shift >= 0) {
      result = rest >> term.shift;
      if (static_cast<std::int64_t>(static_cast<std::uint64_t>(result) << term.shift) != rest) return std::nullopt;
    } else {
      if (term.unit == -1 && rest == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      if (rest % term.unit != 0) return std::nullopt;
      result = rest / term.unit;
    }
    if (result < term.lowest || result > term.highest) return std::nullopt;
    return result;
  }

  bool fail(std::string reason) {
    if (out.reason.empty()) out.reason = std::move(reason);
    return false;
  }

  std::string name(const Term& term) const { return emitter.argument_name(mnemonic, term.argument); }

  [[gnu::cold]] bool fail_field(const Term& term) {
    if (term.field < 0) {
      return fail(fmt::format("{} is fixed to {}, {} wanted", name(term), term.bias, value(term)));
    }
    const std::string& field_name = field(term.field).name;
    const Int128 rest = static_cast<Int128>(value(term)) - term.bias;
    if (rest % term.unit != 0) {
      const std::string plus = term.bias != 0 ? fmt::format(" plus {}", term.bias) : "";
      return fail(fmt::format("{} must be a multiple of {}{} (field `{}` counts in units), {} wanted", name(term),
                              term.unit, plus, field_name, value(term)));
    }
    return fail(fmt::format("{} = {} needs {} in field `{}`, which holds {} to {}", name(term), value(term),
                            static_cast<std::int64_t>(rest / term.unit), field_name, term.lowest, term.highest));
  }

  bool place(const Term& term, std::int64_t base) {
    const std::optional<std::int64_t> found = raw_of(term, base);
    if (!found) return fail_field(term);
    if (term.field < 0) return true;
    const auto index = static_cast<std::size_t>(term.field);
    if (pinned[index] && raw(term.field) != *found) {
      return fail(fmt::format("{} = {} needs {} in field `{}`, where another argument needs {}", name(term),
                              value(term), *found, field(term.field).name, raw(term.field)));
    }
    pinned.set(index);
    raw(term.field) = *found;
    return true;
  }

  bool accepts(const RegisterGroup& group, std::int64_t content) {
    for (const Term& term : group.terms) {
      if (!wanted(term)) continue;
      const std::optional<std::int64_t> found = raw_of(term, content);
      if (!found) return false;
      if (term.field >= 0 && pinned[static_cast<std::size_t>(term.field)] && raw(term.field) != *found) return false;
    }
    return true;
  }

  bool in_use(const RegisterGroup& group) const {
    return std::any_of(group.terms.begin(), group.terms.end(), [this](const Term& term) { return wanted(term); });
  }

  bool relies_on(int reg) const { return std::find(relied.begin(), relied.end(), reg) != relied.end(); }

  MaybeValue content(int reg) const {
    for (const RegisterWrite& write : out.writes) {
      if (write.reg == reg) return write.value;
    }
    const auto index = static_cast<std::size_t>(reg);
    return index < known.size() ? known[index] : MaybeValue();
  }

  bool narrow(Candidates& candidates, const Term& term) {
    const Int128 whole = static_cast<Int128>(value(term)) - term.bias;
    if (term.field < 0 || pinned[static_cast<std::size_t>(term.field)]) {
      const Int128 exact = term.field < 0 ? whole : whole - static_cast<Int128>(raw(term.field)) * term.unit;
      candidates.narrow(exact, exact);
      return true;
    }
    const Int128 unit = term.unit;
    candidates.narrow(whole - term.highest * unit, whole - term.lowest * unit);
    return candidates.require(whole, unit < 0 ? -unit : unit);
  }

  /// The content that a term without a free field needs.
  std::optional<std::int64_t> fixed_content(const RegisterGroup& group) {
    for (const Term& term : group.terms) {
      std::int64_t content = 0;
      if (term.field < 0 && wanted(term) && !__builtin_sub_overflow(value(term), term.bias, &content)) return content;
    }
    return std::nullopt;
  }

  bool can_be_set(int reg, std::int64_t content) const {
    const auto& ways = emitter.settables_[static_cast<std::size_t>(reg)];
    return std::any_of(ways.begin(), ways.end(), [content](const Settable& way) {
      const std::int64_t rest = content % way.multiple;
      return content >= way.lowest && content <= way.highest &&
             (rest < 0 ? rest + way.multiple : rest) == way.remainder;
    });
  }

  /// A content of the register that some mnemonic can set and that suits all terms of the group.
  std::optional<std::int64_t> choose(const RegisterGroup& group, int reg) {
    if (const auto content = fixed_content(group)) {
      return accepts(group, *content) && can_be_set(reg, *content) ? content : std::nullopt;
    }
    Int128 target = Int128{1} << 100;
    for (const Term& term : group.terms) {
      if (wanted(term)) target = std::min(target, static_cast<Int128>(value(term)) - term.bias);
    }
    for (const Settable& way : emitter.settables_[static_cast<std::size_t>(reg)]) {
      Candidates candidates{way.lowest, way.highest};
      const bool possible = candidates.require(way.remainder, way.multiple) &&
                            std::all_of(group.terms.begin(), group.terms.end(),
                                        [&](const Term& term) { return !wanted(term) || narrow(candidates, term); });
      if (!possible) continue;
      if (const auto found = candidates.nearest(target)) return found;
    }
    return std::nullopt;
  }

  [[gnu::cold]] bool fail_register(const RegisterGroup& group, int reg) {
    std::string list;
    for (const Term& term : group.terms) {
      if (wanted(term)) list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name(term), value(term));
    }
    const auto& ways = emitter.settables_[static_cast<std::size_t>(reg)];
    const std::string register_name = emitter.register_name(reg);
    if (ways.empty()) return fail(fmt::format("{} needs register `{}`, which no mnemonic sets", list, register_name));
    const Settable& way = ways.front();
    std::string range = fmt::format("{} to {}", way.lowest, way.highest);
    if (way.multiple != 1) range += fmt::format(" in steps of {}", way.multiple);
    return fail(fmt::format("no content of register `{}` ({}) gives {}", register_name, range, list));
  }

  bool solve(const RegisterGroup& group, int reg) {
    if (!in_use(group)) return true;
    MaybeValue now = content(reg);
    if (!now || !accepts(group, *now)) {
      if (relies_on(reg)) return fail_register(group, reg);
      now = choose(group, reg);
      if (!now) return fail_register(group, reg);
      out.writes.push_back({reg, *now});
    }
    if (!emitter.plans_[static_cast<std::size_t>(mnemonic)].indexed.empty()) relied.push_back(reg);
    return std::all_of(group.terms.begin(), group.terms.end(),
                       [&](const Term& term) { return !wanted(term) || place(term, *now); });
  }

  /// How much register `reg` speaks against its index: nothing where it needs no write, more where a write loses a
  /// known content; nullopt where it is taken.
  std::optional<int> cost(const RegisterGroup& group, int reg) {
    if (!in_use(group)) return 0;
    const MaybeValue now = content(reg);
    if (now && accepts(group, *now)) return 0;
    if (relies_on(reg)) return std::nullopt;
    return now ? 3 : 2;
  }

  std::optional<std::int64_t> choose_index(const IndexGroup& indexed) {
    std::optional<std::int64_t> best;
    int best_cost = std::numeric_limits<int>::max();
    for (std::int64_t index = 0; index < indexed.count && best_cost > 0; ++index) {
      int total = 0;
      bool free = true;
      for (const RegisterGroup& group : indexed.groups) {
        const std::optional<int> part = cost(group, group.reg + static_cast<int>(index));
        free = free && part.has_value();
        total += part.value_or(0);
      }
      if (free && total < best_cost) {
        best = index;
        best_cost = total;
      }
    }
    return best;
  }

  bool solve(const IndexGroup& indexed) {
    const bool used = std::any_of(indexed.groups.begin(), indexed.groups.end(),
                                  [this](const RegisterGroup& group) { return in_use(group); });
    if (!used) return true;
    const auto field_index = static_cast<std::size_t>(indexed.index_field);
    if (!pinned[field_index]) {
      const std::optional<std::int64_t> index = choose_index(indexed);
      if (!index) return fail(fmt::format("no register is left for field `{}`", field(indexed.index_field).name));
      raw(indexed.index_field) = *index;
      pinned.set(field_index);
    }
    const std::int64_t index = raw(indexed.index_field);
    if (index < 0 || index >= indexed.count) {
      return fail(fmt::format("field `{}` = {} points beyond its registers", field(indexed.index_field).name, index));
    }
    return std::all_of(indexed.groups.begin(), indexed.groups.end(),
                       [&](const RegisterGroup& group) { return solve(group, group.reg + static_cast<int>(index)); });
  }

  /// Pins the fields that choose the element.
  bool go_to(int unit) {
    const Mnemonic& m = emitter.isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
    if (m.elements.empty()) return m.unit == unit || fail(fmt::format("`{}` goes to another unit", m.name));
    const auto found = std::find(m.units.begin(), m.units.end(), unit);
    if (found == m.units.end()) return fail(fmt::format("`{}` goes to other elements", m.name));
    const auto ordinal = static_cast<std::int64_t>(found - m.units.begin());
    for (const ElementField& element : m.elements) {
      raw(element.field) = ordinal / element.stride % element.count;
      pinned.set(static_cast<std::size_t>(element.field));
    }
    return true;
  }

  bool run(const Plan& plan) {
    for (const Term& term : plan.fields) {
      if (wanted(term) && !place(term, 0)) return false;
    }
    for (const RegisterGroup& group : plan.registers) {
      if (!solve(group, group.reg)) return false;
    }
    for (const IndexGroup& group : plan.indexed) {
      if (!solve(group)) return false;
    }
    return true;
  }
};

bool Emitter::emit(int mnemonic, std::span<const MaybeValue> values, std::span<const MaybeValue> known, Emission& out,
                   int unit) const {
  const auto index = static_cast<std::size_t>(mnemonic);
  out.instruction.mnemonic = mnemonic;
  out.instruction.fields.assign(isa_.mnemonics[index].fields.size(), 0);
  out.writes.clear();
  out.reason.clear();
  Solver solver{*this, mnemonic, values, known, out};
  if (unit >= 0 && !solver.go_to(unit)) return false;
  return solver.run(plans_[index]);
}

}  // namespace accord
