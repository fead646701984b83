#include "tests/mutation/mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "archdsl/isa/emit.h"

namespace accord::test {

namespace {

constexpr std::int64_t farthest_move = 8;

const std::vector<std::pair<Mutation, const char*>> names = {
    {Mutation::sync_dropped, "sync dropped"},
    {Mutation::sync_pair_dropped, "sync pair dropped"},
    {Mutation::sync_moved, "sync moved"},
    {Mutation::semaphore_changed, "semaphore changed"},
    {Mutation::semaphore_shared, "semaphore shared"},
    {Mutation::address_changed, "address changed"},
    {Mutation::stride_changed, "stride changed"},
    {Mutation::extent_changed, "extent changed"},
    {Mutation::loop_changed, "loop changed"},
    {Mutation::field_changed, "other field changed"},
    {Mutation::command_dropped, "command dropped"},
    {Mutation::command_repeated, "command repeated"},
    {Mutation::command_moved, "command moved"},
    {Mutation::bit_flipped, "bit flipped"},
};

bool is_sync(Meaning meaning) {
  return meaning == Meaning::wait || meaning == Meaning::signal || meaning == Meaning::fence;
}

bool is_step_count(const std::string& argument) {
  return argument.size() >= 2 && argument[0] == 'n' && argument.find_first_not_of("0123456789", 1) == std::string::npos;
}

/// What an argument is, by its name (transfer_arguments, run_arguments).
Mutation use_of_argument(const Mnemonic& mnemonic, const Architecture& architecture, const std::string& argument) {
  if (mnemonic.meaning == Meaning::loop) return Mutation::loop_changed;
  if (mnemonic.meaning == Meaning::wait || mnemonic.meaning == Meaning::signal) return Mutation::semaphore_changed;
  if (argument.ends_with(".base")) return Mutation::address_changed;
  if (argument.find(".stride") != std::string::npos) return Mutation::stride_changed;
  if (mnemonic.meaning == Meaning::transfer)
    return is_step_count(argument) || argument == "rows" ? Mutation::extent_changed : Mutation::field_changed;
  const Unit& unit = architecture.units[static_cast<std::size_t>(mnemonic.unit)];
  const auto& dims = unit.capabilities[static_cast<std::size_t>(mnemonic.capability)].dims;
  const bool is_dim = std::ranges::find(dims, argument, &CapabilityDim::name) != dims.end();
  return is_dim ? Mutation::extent_changed : Mutation::field_changed;
}

template <class T>
const T& any_of(const std::vector<T>& all, Draw& draw) {
  return all[static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(all.size()) - 1))];
}

}  // namespace

const std::vector<Mutation>& all_mutations() {
  static const std::vector<Mutation> all = [] {
    std::vector<Mutation> result;
    for (const auto& [mutation, unused] : names) result.push_back(mutation);
    return result;
  }();
  return all;
}

std::string name(Mutation mutation) {
  return std::ranges::find(names, mutation, &std::pair<Mutation, const char*>::first)->second;
}

bool concerns_sync(Mutation mutation) {
  return mutation == Mutation::sync_dropped || mutation == Mutation::sync_pair_dropped ||
         mutation == Mutation::sync_moved || mutation == Mutation::semaphore_changed ||
         mutation == Mutation::semaphore_shared;
}

Mutator::Mutator(const Architecture& architecture, const Program& program)
    : architecture_(architecture), listing_(architecture, program), all_(static_cast<std::size_t>(listing_.size())) {
  std::iota(all_.begin(), all_.end(), 0);
  classify();
  for (const std::int64_t i : all_) {
    const Mnemonic& mnemonic = listing_.mnemonic(i);
    if (is_sync(mnemonic.meaning)) syncs_.push_back(i);
    if (mnemonic.meaning == Meaning::wait) waits_[listing_.constant(i, 0)].push_back(i);
    if (mnemonic.meaning == Meaning::signal) signals_[listing_.constant(i, 0)].push_back(i);
    const auto& uses = uses_[static_cast<std::size_t>(listing_[i].mnemonic)];
    for (std::size_t f = 0; f < uses.size(); ++f) {
      // A file's registers are not alike: what this one is used for decides.
      Mutation use = uses[f];
      for (const RegisterUpdate& update : mnemonic.updates) {
        if (update.base != Binding::Base::indexed_register || update.amount.field != static_cast<int>(f)) continue;
        const auto index = listing_[i].fields[static_cast<std::size_t>(update.index_field)];
        const auto found = register_uses_.find(update.reg + static_cast<int>(index));
        if (found != register_uses_.end()) use = found->second;
      }
      sites_[use].push_back({i, f});
    }
  }
}

void Mutator::note_registers(const Mnemonic& mnemonic, const std::vector<std::string>& arguments) {
  for (std::size_t a = 0; a < mnemonic.arguments.size() && a < arguments.size(); ++a) {
    const Binding& binding = mnemonic.arguments[a];
    if (binding.base == Binding::Base::none) continue;
    const Register* file = register_of(architecture_.isa, binding.reg);
    const int count = binding.base == Binding::Base::indexed_register ? file->count : 1;
    for (int r = 0; r < count; ++r)
      register_uses_.emplace(binding.reg + r, use_of_argument(mnemonic, architecture_, arguments[a]));
  }
}

void Mutator::classify() {
  for (const Mnemonic& mnemonic : architecture_.isa.mnemonics) {
    if (mnemonic.meaning != Meaning::set && mnemonic.meaning != Meaning::add)
      note_registers(mnemonic, argument_names(architecture_, mnemonic));
  }
  for (const Mnemonic& mnemonic : architecture_.isa.mnemonics) {
    auto& uses = uses_.emplace_back(mnemonic.fields.size(), Mutation::field_changed);
    const bool sets = mnemonic.meaning == Meaning::set || mnemonic.meaning == Meaning::add;
    const auto arguments = sets ? std::vector<std::string>{} : argument_names(architecture_, mnemonic);
    for (std::size_t a = 0; a < mnemonic.arguments.size() && a < arguments.size(); ++a) {
      const int field = mnemonic.arguments[a].field;
      if (field >= 0) uses[static_cast<std::size_t>(field)] = use_of_argument(mnemonic, architecture_, arguments[a]);
    }
    for (const RegisterUpdate& update : mnemonic.updates) {
      const auto found = register_uses_.find(update.reg);
      if (update.amount.field >= 0 && found != register_uses_.end())
        uses[static_cast<std::size_t>(update.amount.field)] = found->second;
    }
  }
}

std::string Mutator::text(std::int64_t instruction) const {
  std::string fields;
  const Mnemonic& mnemonic = listing_.mnemonic(instruction);
  for (std::size_t f = 0; f < mnemonic.fields.size(); ++f)
    fields += fmt::format("{}{}={}", f ? ", " : " ", mnemonic.fields[f].name, listing_[instruction].fields[f]);
  return fmt::format("instruction {} ({}{})", instruction, mnemonic.name, fields);
}

std::optional<Mutant> Mutator::draw(Mutation mutation, Draw& draw) const {
  switch (mutation) {
    case Mutation::sync_dropped: return drop(mutation, syncs_, draw);
    case Mutation::sync_pair_dropped: return drop_pair(draw);
    case Mutation::semaphore_shared: return share(draw);
    case Mutation::sync_moved: return move(mutation, syncs_, draw);
    case Mutation::command_dropped: return drop(mutation, all_, draw);
    case Mutation::command_moved: return move(mutation, all_, draw);
    case Mutation::command_repeated: return repeat(draw);
    case Mutation::bit_flipped: return flip(draw);
    default: return change_field(mutation, draw);
  }
}

Mutant Mutator::draw_any(Draw& draw) const {
  while (true) {
    const Mutation mutation = any_of(all_mutations(), draw);
    for (int tries = 0; tries < 20; ++tries) {
      if (auto mutant = this->draw(mutation, draw)) return std::move(*mutant);
    }
  }
}

/// A near value, one bit less or more, or what the same field holds elsewhere.
std::int64_t Mutator::other_value(const Site& site, Draw& draw) const {
  const Instruction& instruction = listing_[site.instruction];
  const std::int64_t now = instruction.fields[site.field];
  const int bits = listing_.mnemonic(site.instruction).fields[site.field].bits;
  switch (draw.from(0, 3)) {
    case 0: return now + (draw.once_in(2) ? 1 : -1);
    case 1: return now + draw.from(-64, 64);
    case 2: return now ^ std::int64_t{1} << draw.from(0, std::min(bits, 62) - 1);
    default: break;
  }
  std::vector<std::int64_t> elsewhere;
  for (const std::int64_t i : all_) {
    if (listing_[i].mnemonic == instruction.mnemonic) elsewhere.push_back(listing_[i].fields[site.field]);
  }
  return any_of(elsewhere, draw);
}

std::optional<Mutant> Mutator::change_field(Mutation mutation, Draw& draw) const {
  const auto found = sites_.find(mutation);
  if (found == sites_.end()) return std::nullopt;
  const Site& site = any_of(found->second, draw);
  const Field& field = listing_.mnemonic(site.instruction).fields[site.field];
  const std::int64_t before = listing_[site.instruction].fields[site.field], after = other_value(site, draw);
  if (after == before || !fits(field, after)) return std::nullopt;
  Listing changed = listing_;
  changed[site.instruction].fields[site.field] = after;
  return Mutant{mutation, fmt::format("{}: {} becomes {}", text(site.instruction), field.name, after),
                changed.program()};
}

std::optional<Mutant> Mutator::drop(Mutation mutation, const std::vector<std::int64_t>& places, Draw& draw) const {
  if (places.empty()) return std::nullopt;
  const std::int64_t at = any_of(places, draw);
  Listing changed = listing_;
  if (!changed.erase(at)) return std::nullopt;
  return Mutant{mutation, text(at) + " is taken out", changed.program()};
}

std::optional<Mutator::Pair> Mutator::any_pair(Draw& draw) const {
  std::vector<std::int64_t> semaphores;
  for (const auto& [semaphore, waits] : waits_) {
    const auto signals = signals_.find(semaphore);
    if (semaphore >= 0 && signals != signals_.end() && signals->second.size() == waits.size())
      semaphores.push_back(semaphore);
  }
  if (semaphores.empty()) return std::nullopt;
  const std::int64_t semaphore = any_of(semaphores, draw);
  const auto& waits = waits_.at(semaphore);
  const auto k = static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(waits.size()) - 1));
  const Pair pair{semaphore, waits[k], signals_.at(semaphore)[k]};
  if (!listing_.together(pair.wait, pair.signal)) return std::nullopt;
  return pair;
}

std::optional<Mutant> Mutator::drop_pair(Draw& draw) const {
  const auto pair = any_pair(draw);
  Listing changed = listing_;
  if (!pair || !changed.erase(std::max(pair->wait, pair->signal)) || !changed.erase(std::min(pair->wait, pair->signal)))
    return std::nullopt;
  return Mutant{Mutation::sync_pair_dropped,
                fmt::format("{} and {} are taken out", text(pair->signal), text(pair->wait)), changed.program()};
}

std::optional<Mutant> Mutator::share(Draw& draw) const {
  const auto pair = any_pair(draw), other = any_pair(draw);
  if (!pair || !other || pair->semaphore == other->semaphore) return std::nullopt;
  Listing changed = listing_;
  for (const std::int64_t i : {pair->wait, pair->signal}) {
    const Binding& binding = listing_.mnemonic(i).arguments[0];
    const Binding& wanted = listing_.mnemonic(other->wait).arguments[0];
    if (binding.field < 0 || wanted.field < 0) return std::nullopt;
    const auto field = static_cast<std::size_t>(binding.field);
    const std::int64_t raw = listing_[other->wait].fields[static_cast<std::size_t>(wanted.field)];
    if (!fits(listing_.mnemonic(i).fields[field], raw)) return std::nullopt;
    changed[i].fields[field] = raw;
  }
  return Mutant{Mutation::semaphore_shared,
                fmt::format("{} and {} use semaphore {}", text(pair->signal), text(pair->wait), other->semaphore),
                changed.program()};
}

std::optional<Mutant> Mutator::move(Mutation mutation, const std::vector<std::int64_t>& places, Draw& draw) const {
  if (places.empty()) return std::nullopt;
  const std::int64_t at = any_of(places, draw);
  const std::int64_t to = at + draw.from(1, farthest_move) * (draw.once_in(2) ? 1 : -1);
  if (to < 0 || to >= listing_.size() || !listing_.together(at, to)) return std::nullopt;
  if (listing_.mnemonic(at).meaning == Meaning::loop) return std::nullopt;  // its body would change
  Listing changed = listing_;
  if (!changed.erase(at) || !changed.insert(to, listing_[at])) return std::nullopt;
  return Mutant{mutation, fmt::format("{} becomes instruction {}", text(at), to), changed.program()};
}

std::optional<Mutant> Mutator::repeat(Draw& draw) const {
  const std::int64_t at = any_of(all_, draw);
  Listing changed = listing_;
  if (!changed.insert(at, listing_[at])) return std::nullopt;
  return Mutant{Mutation::command_repeated, text(at) + " stands twice", changed.program()};
}

std::optional<Mutant> Mutator::flip(Draw& draw) const {
  Mutant mutant{Mutation::bit_flipped, "", listing_.program()};
  const std::int64_t bit = draw.from(0, static_cast<std::int64_t>(mutant.program.text.size()) * 8 - 1);
  mutant.program.text[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << (bit % 8);
  const std::int64_t instruction = bit / architecture_.isa.width;
  mutant.what = fmt::format("{}: bit {} flips", text(instruction), bit % architecture_.isa.width);
  return mutant;
}

}  // namespace accord::test
