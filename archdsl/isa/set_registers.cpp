#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <boost/container/small_vector.hpp>
#include <set>

#include "archdsl/isa/emit.h"
#include "archdsl/isa/int128.h"

namespace accord {
namespace {

constexpr std::size_t most_touched = 256;  ///< registers that one search can tell apart
constexpr std::size_t writes_at_once = 32;
constexpr std::size_t most_candidates = 4096;
constexpr int most_nodes =
    20000;  ///< of the search for the fewest instructions, before the first that was found is taken

using Touched = std::bitset<most_touched>;
using Pinned = boost::container::small_vector<bool, 32>;  ///< by field: its value is chosen
using Numbers = boost::container::small_vector<int, 16>;

/// Raw field value that gives the register `content` (contents wrap at the register's width).
template <typename Int>
std::optional<std::int64_t> raw_in(const Register& reg, const Binding& amount, const Field* field,
                                   std::int64_t content) {
  const Int period = Int{1} << std::min(reg.bits, 64);
  for (const Int turn : {Int{0}, static_cast<Int>(-period), period}) {
    const Int rest = content + turn - amount.bias;
    if (field == nullptr || amount.unit == 0) {
      if (rest == 0) return 0;
      continue;
    }
    if (amount.unit != 1 && rest % amount.unit != 0) continue;
    const Int raw = amount.unit == 1 ? rest : rest / amount.unit;
    if (raw >= lowest_raw(*field) && raw <= highest_raw(*field)) return static_cast<std::int64_t>(raw);
  }
  return std::nullopt;
}

std::optional<std::int64_t> raw_of(const Register& reg, const Binding& amount, const Field* field,
                                   std::int64_t content) {
  constexpr std::int64_t small = std::int64_t{1} << 60;  // sums of three stay within 64 bits
  const auto is_small = [](std::int64_t value) { return -small < value && value < small; };
  if (reg.bits < 60 && is_small(content) && is_small(amount.bias)) {
    return raw_in<std::int64_t>(reg, amount, field, content);
  }
  return raw_in<Int128>(reg, amount, field, content);
}

bool all_hold(std::span<const RegisterWrite> writes, std::span<const MaybeValue> known) {
  return std::all_of(writes.begin(), writes.end(), [&](const RegisterWrite& write) {
    const auto reg = static_cast<std::size_t>(write.reg);
    return reg < known.size() && known[reg] == MaybeValue(write.value);
  });
}

/// Of an update, the field that its amount comes from.
const Field* field_of(const Mnemonic& mnemonic, const RegisterUpdate& update) {
  const int field = update.amount.field;
  return field >= 0 ? &mnemonic.fields[static_cast<std::size_t>(field)] : nullptr;
}

/// One `set` instruction: registers that it brings to their targets, and those with a target that it spoils.
struct Candidate {
  Instruction instruction;
  Touched good;
  Touched bad;
};

}  // namespace

/// Finds the fewest `set` instructions: a set cover in which an instruction may spoil what a later one repairs.
struct Emitter::Sequencer {
  const Emitter& emitter;
  std::vector<MaybeValue> target;  ///< by register: wanted or known content
  Numbers numbers{};               ///< registers that matter, by bit
  std::vector<Candidate> candidates{};
  Numbers chosen{};
  Numbers best{};
  int nodes = 0;
  bool overflow = false;  ///< more registers matter than `most_touched`

  std::size_t bit(int reg) {
    const auto found = std::find(numbers.begin(), numbers.end(), reg);
    const auto index = static_cast<std::size_t>(found - numbers.begin());
    if (found != numbers.end()) return index;
    if (index == most_touched) {
      overflow = true;
      return 0;
    }
    numbers.push_back(reg);
    return index;
  }

  const MaybeValue& goal(int reg) const { return target[static_cast<std::size_t>(reg)]; }

  int number(const RegisterUpdate& update, const std::vector<std::int64_t>& fields) const {
    if (update.base != Binding::Base::indexed_register) return update.reg;
    return update.reg + static_cast<int>(fields[static_cast<std::size_t>(update.index_field)]);
  }

  /// Completes the instruction whose index fields are given; registers in `first` have their choice of shared fields.
  void add_candidate(int mnemonic, std::vector<std::int64_t> fields, Pinned pinned, const Touched& first) {
    const Mnemonic& m = emitter.isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
    Candidate candidate;
    const auto place = [&](const RegisterUpdate& update, bool in_first) {
      const int reg = number(update, fields);
      if (!goal(reg) || first[bit(reg)] != in_first) return;
      const Binding& amount = update.amount;
      const auto index = static_cast<std::size_t>(std::max(amount.field, 0));
      const Field* field = field_of(m, update);
      const auto raw = raw_of(*emitter.registers_[static_cast<std::size_t>(reg)], amount, field, *goal(reg));
      const bool works = raw && (field == nullptr || !pinned[index] || fields[index] == *raw);
      (works ? candidate.good : candidate.bad).set(bit(reg));
      if (!works || field == nullptr) return;
      fields[index] = *raw;
      pinned[index] = true;
    };
    for (const bool in_first : {true, false}) {
      for (const RegisterUpdate& update : m.updates) place(update, in_first);
    }
    candidate.instruction = {mnemonic, std::move(fields)};
    if (candidates.size() < most_candidates) candidates.push_back(std::move(candidate));
  }

  /// Values of an index field that point one of the updates that it serves at a register that needs a value.
  std::set<std::int64_t> useful_indices(const Mnemonic& m, int index_field, const Touched& need,
                                        std::size_t need_count) const {
    std::set<std::int64_t> result;
    for (const RegisterUpdate& update : m.updates) {
      if (update.base != Binding::Base::indexed_register || update.index_field != index_field) continue;
      const Register& file = *emitter.registers_[static_cast<std::size_t>(update.reg)];
      for (std::size_t i = 0; i < need_count; ++i) {
        const std::int64_t offset = numbers[i] - update.reg;
        const bool inside = offset >= 0 && numbers[i] < file.first + file.count;
        if (need[i] && inside && fits(m.fields[static_cast<std::size_t>(index_field)], offset)) result.insert(offset);
      }
    }
    return result;
  }

  /// All ways to choose the index fields such that each points at a register that needs a value.
  void enumerate(int mnemonic, std::size_t from, std::vector<std::int64_t>& fields, Pinned& pinned, const Touched& need,
                 std::size_t need_count) {
    const Mnemonic& m = emitter.isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
    for (std::size_t u = from; u < m.updates.size(); ++u) {
      const RegisterUpdate& update = m.updates[u];
      if (update.base != Binding::Base::indexed_register) continue;
      const auto index = static_cast<std::size_t>(update.index_field);
      if (pinned[index]) continue;
      for (const std::int64_t offset : useful_indices(m, update.index_field, need, need_count)) {
        pinned[index] = true;
        fields[index] = offset;
        enumerate(mnemonic, u + 1, fields, pinned, need, need_count);
        pinned[index] = false;
        fields[index] = 0;
      }
      // Index 0 stands for "wherever": another update may be the one that is wanted.
      pinned[index] = true;
      enumerate(mnemonic, u + 1, fields, pinned, need, need_count);
      pinned[index] = false;
      return;
    }
    const bool useful = std::any_of(m.updates.begin(), m.updates.end(), [&](const RegisterUpdate& update) {
      const auto found =
          std::find(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(need_count), number(update, fields));
      const auto position = static_cast<std::size_t>(found - numbers.begin());
      return position < need_count && need[position];
    });
    if (useful) add_candidate(mnemonic, fields, pinned, need);
  }

  /// Whether some choice of index fields lets the mnemonic change one of the registers.
  bool reaches(const Mnemonic& mnemonic, const Touched& need, std::size_t need_count) const {
    return std::any_of(mnemonic.updates.begin(), mnemonic.updates.end(), [&](const RegisterUpdate& update) {
      int end = update.reg + 1;
      if (update.base == Binding::Base::indexed_register) {
        const Register& file = *emitter.registers_[static_cast<std::size_t>(update.reg)];
        end = file.first + file.count;
      }
      for (std::size_t i = 0; i < need_count; ++i) {
        if (need[i] && numbers[i] >= update.reg && numbers[i] < end) return true;
      }
      return false;
    });
  }

  /// Candidates for `need` and for what those may spoil, and so on.
  void collect(Touched need) {
    while (true) {
      candidates.clear();
      const std::size_t need_count = numbers.size();
      for (const int mnemonic : emitter.setters_) {
        const Mnemonic& m = emitter.isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
        if (!reaches(m, need, need_count)) continue;
        std::vector<std::int64_t> fields(m.fields.size(), 0);
        Pinned pinned(m.fields.size(), false);
        enumerate(mnemonic, 0, fields, pinned, need, need_count);
      }
      Touched grown = need;
      for (const Candidate& candidate : candidates) grown |= candidate.bad;
      if (grown == need) return;
      need = grown;
    }
  }

  /// Orders `chosen` from the last to the first, such that each spoils only what later ones repair, which `repaired`
  /// collects; false where that ends too early.
  bool order(Numbers& sequence, Touched& repaired) const {
    Numbers left = chosen;
    sequence.clear();
    while (!left.empty()) {
      const auto last = std::find_if(left.begin(), left.end(), [&](int c) {
        return (candidates[static_cast<std::size_t>(c)].bad & ~repaired).none();
      });
      if (last == left.end()) return false;
      repaired |= candidates[static_cast<std::size_t>(*last)].good;
      sequence.insert(sequence.begin(), *last);
      left.erase(last);
    }
    return true;
  }

  /// Extends `chosen` to at most `depth` candidates that bring all of `need` to their targets.
  bool search(const Touched& need, const Touched& covered, std::size_t depth) {
    const Touched open = need & ~covered;
    Touched repaired;
    if (open.none() && order(best, repaired)) return true;
    if (chosen.size() >= depth || ++nodes > most_nodes) return false;
    const std::size_t next = open._Find_first();
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      // Where all is covered but in no order, one more has to come before the end.
      const Candidate& candidate = candidates[c];
      const bool helps =
          open.any() ? candidate.good[next] : (candidate.bad & ~repaired).none() && (candidate.good & ~repaired).any();
      if (!helps) continue;
      chosen.push_back(static_cast<int>(c));
      if (search(need | candidates[c].bad, covered | candidates[c].good, depth)) return true;
      chosen.pop_back();
    }
    return false;
  }

  bool run(const Touched& dirty) {
    collect(dirty);
    if (overflow) return false;
    const std::size_t deepest = numbers.size();
    for (std::size_t depth = 1; depth <= deepest; ++depth) {
      chosen.clear();
      if (search(dirty, {}, depth)) return true;
      if (nodes <= most_nodes) continue;
      nodes = 0;
      chosen.clear();
      return search(dirty, {}, deepest);
    }
    return false;
  }

  std::string explain(std::span<const RegisterWrite> writes) const {
    if (overflow) return fmt::format("`set` mnemonics change more than {} registers at once", most_touched);
    for (const RegisterWrite& write : writes) {
      const auto position =
          static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), write.reg) - numbers.begin());
      const bool settable = position >= numbers.size() ||
                            std::any_of(candidates.begin(), candidates.end(),
                                        [&](const Candidate& candidate) { return candidate.good[position]; });
      if (settable) continue;
      const auto& ways = emitter.settables_[static_cast<std::size_t>(write.reg)];
      const std::string name = emitter.register_name(write.reg);
      if (ways.empty()) return fmt::format("no mnemonic sets register `{}`", name);
      const Settable& way = ways.front();
      return fmt::format("no mnemonic can set register `{}` to {} (widest: {} to {} in steps of {})", name, write.value,
                         way.lowest, way.highest, way.multiple);
    }
    return "no sequence of `set` mnemonics gives all these registers their values without losing another";
  }
};

/// An instruction without index fields that brings the registers to their targets and spoils no other, the usual case.
bool Emitter::set_at_once(std::span<const RegisterWrite> writes, std::span<const MaybeValue> known,
                          Instruction& out) const {
  if (known.size() < registers_.size() || all_hold(writes, known)) return false;
  const auto goal = [&](int reg) {
    const auto write = std::find_if(writes.begin(), writes.end(), [reg](const auto& one) { return one.reg == reg; });
    return write != writes.end() ? MaybeValue(write->value) : known[static_cast<std::size_t>(reg)];
  };
  Pinned pinned;
  for (const int mnemonic : setters_) {
    const Mnemonic& m = isa_.mnemonics[static_cast<std::size_t>(mnemonic)];
    const auto sets = [&m](const RegisterWrite& write) {
      return std::any_of(m.updates.begin(), m.updates.end(), [&](const auto& u) { return u.reg == write.reg; });
    };
    if (!std::all_of(writes.begin(), writes.end(), sets)) continue;
    out.mnemonic = mnemonic;
    out.fields.assign(m.fields.size(), 0);
    pinned.assign(m.fields.size(), false);
    const auto place = [&](const RegisterUpdate& update) {
      if (update.base == Binding::Base::indexed_register) return false;
      const MaybeValue content = goal(update.reg);
      if (!content) return true;
      const Field* field = field_of(m, update);
      const auto raw = raw_of(*registers_[static_cast<std::size_t>(update.reg)], update.amount, field, *content);
      if (!raw || field == nullptr) return raw.has_value();
      const auto index = static_cast<std::size_t>(update.amount.field);
      if (pinned[index]) return out.fields[index] == *raw;
      pinned[index] = true;
      out.fields[index] = *raw;
      return true;
    };
    if (std::all_of(m.updates.begin(), m.updates.end(), place)) return true;
  }
  return false;
}

std::optional<std::vector<Instruction>> Emitter::set_registers(std::span<const RegisterWrite> writes,
                                                               std::span<const MaybeValue> known,
                                                               std::string* reason) const {
  std::vector<Instruction> result;
  if (all_hold(writes, known)) return result;
  if (Instruction once; set_at_once(writes, known, once)) {
    result.push_back(std::move(once));
    return result;
  }
  std::vector<MaybeValue> now(known.begin(), known.end());
  now.resize(registers_.size());
  while (!writes.empty()) {
    const auto part = writes.first(std::min(writes.size(), writes_at_once));
    writes = writes.subspan(part.size());
    Sequencer sequencer{*this, now};
    Touched dirty;
    for (const RegisterWrite& write : part) {
      const auto reg = static_cast<std::size_t>(write.reg);
      sequencer.target[reg] = write.value;
      if (now[reg] != MaybeValue(write.value)) dirty.set(sequencer.bit(write.reg));
    }
    if (dirty.none()) continue;
    if (!sequencer.run(dirty)) {
      if (reason != nullptr) *reason = sequencer.explain(part);
      return std::nullopt;
    }
    for (const int chosen : sequencer.best) {
      result.push_back(std::move(sequencer.candidates[static_cast<std::size_t>(chosen)].instruction));
      track(result.back(), now);
    }
  }
  return result;
}

}  // namespace accord
