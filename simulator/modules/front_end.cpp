#include "simulator/modules/front_end.h"

#include <utility>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "simulator/modules/least_instructions.h"

namespace accord::sim {

namespace {

constexpr std::size_t cache_size = std::size_t{1} << 14;
constexpr std::int64_t most_executed = 10'000'000'000;
constexpr std::int64_t long_after = 100'000'000;  // half a minute or so

int register_number(Binding::Base base, int reg, int index_field, const Instruction& raw) {
  if (base == Binding::Base::none) return -1;
  if (base == Binding::Base::fixed_register) return reg;
  return reg + static_cast<int>(raw.fields[static_cast<std::size_t>(index_field)]);
}

Decoded::Term reduce(const Binding& binding, const Instruction& raw) {
  return {register_number(binding.base, binding.reg, binding.index_field, raw), constant_of(binding, raw.fields)};
}

}  // namespace

FrontEnd::FrontEnd(const Architecture& architecture, const Program& program, const ProgramMap& map, HazardLog& hazards,
                   bool keeps_decoded)
    : architecture_(architecture),
      program_(program),
      map_(map),
      hazards_(hazards),
      keeps_decoded_(keeps_decoded),
      decoder_(architecture.isa),
      cache_(cache_size),
      registers_(static_cast<std::size_t>(architecture.isa.register_count), 0) {
  for (int r = 0; r < architecture.isa.register_count; ++r)
    register_of_.push_back(accord::register_of(architecture.isa, r));
}

void FrontEnd::enter(std::size_t stage) {
  const Stage& entered = map_.stages()[stage];
  pc_ = entered.first;
  end_ = entered.first + entered.count;
  ends_ = &map_.ends(stage);
  next_end_ = 0;
  loops_.clear();
}

const Decoded* FrontEnd::next() {
  while (true) {
    if (next_end_ < ends_->size()) end_layers(pc_ == end_);
    if (pc_ == end_) return nullptr;
    const Decoded* decoded = fetch(pc_);
    if (!decoded) return nullptr;
    if (++executed_ > checkpoint_ && !look_ahead(*decoded)) return nullptr;
    arguments_.resize(decoded->arguments.size());
    for (std::size_t i = 0; i < arguments_.size(); ++i) arguments_[i] = value(decoded->arguments[i]);
    if (!decoded->updates.empty()) update(*decoded);
    if (decoded->meaning == Meaning::loop) {
      if (!enter_loop(*decoded)) return nullptr;
      continue;
    }
    advance();
    if (decoded->meaning != Meaning::set && decoded->meaning != Meaning::add) return decoded;
  }
}

// At twice as many instructions each time, so that it takes no time to speak of.
bool FrontEnd::look_ahead(const Decoded& decoded) {
  const std::int64_t least = least_executed();
  checkpoint_ = std::min({2 * executed_, limit_, most_executed});
  if (long_run && least >= long_after) std::exchange(long_run, nullptr)(least);
  return surely_within(least, decoded);
}

bool FrontEnd::surely_within(std::int64_t least, const Decoded& decoded) {
  if (least > limit_) {
    hazards_.end(
        "cycle_limit", now(), decoded.index, decoded.mnemonic,
        fmt::format("is one of at least {} instructions; the allowed cycles issue no more than {}", least, limit_));
    return false;
  }
  if (least > most_executed)
    throw Error(fmt::format("the program executes at least {} instructions, more than 10^10", least));
  return true;
}

// The turns to come of the loops that are open. A body that is long against what was executed is left for later.
std::int64_t FrontEnd::least_executed() const {
  Instruction raw;
  LeastInstructions least(
      architecture_, [&](std::int64_t index, Decoded& out) { return read(index, out, raw); }, registers_);
  std::int64_t total = executed_;
  for (const Loop& loop : loops_) {
    if (loop.left > 1 && loop.end - loop.begin <= executed_ / 16)
      total = plus(total, times(loop.left - 1, least.of_turn(loop.begin, loop.end)));
  }
  return total;
}

const Decoded* FrontEnd::fetch(std::int64_t index) {
  Decoded& entry = loops_.empty() ? straight_ : cache_[static_cast<std::size_t>(index) % cache_size];
  if (entry.index != index || !keeps_decoded_) decode(index, entry);
  return hazards_.fatal ? nullptr : &entry;
}

bool FrontEnd::read(std::int64_t index, Decoded& out, Instruction& raw) const {
  if (!decoder_.decode(program_.text.data() + static_cast<std::size_t>(index) * decoder_.size(), raw)) return false;
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[static_cast<std::size_t>(raw.mnemonic)];
  out.index = index;
  out.mnemonic = raw.mnemonic;
  out.meaning = mnemonic.meaning;
  out.unit = unit_of(mnemonic, raw.fields);
  out.layer = map_.layer(index);
  out.arguments.resize(mnemonic.arguments.size());
  for (std::size_t i = 0; i < out.arguments.size(); ++i) out.arguments[i] = reduce(mnemonic.arguments[i], raw);
  out.updates.resize(mnemonic.updates.size());
  for (std::size_t i = 0; i < out.updates.size(); ++i) {
    const RegisterUpdate& update = mnemonic.updates[i];
    out.updates[i] = {register_number(update.base, update.reg, update.index_field, raw), reduce(update.amount, raw)};
  }
  return true;
}

void FrontEnd::decode(std::int64_t index, Decoded& out) {
  if (!read(index, out, instruction_)) {
    hazards_.end("undefined_opcode", now(), index, -1, fmt::format("instruction {} has no meaning", index));
  } else if (out.unit < 0 && !architecture_.isa.mnemonics[static_cast<std::size_t>(out.mnemonic)].elements.empty()) {
    hazards_.end("out_of_range", now(), index, out.mnemonic, "the fields choose an element that does not exist");
  }
}

std::int64_t FrontEnd::value(const Decoded::Term& term) const {
  return term.reg < 0 ? term.constant : wrapping_add(registers_[static_cast<std::size_t>(term.reg)], term.constant);
}

void FrontEnd::update(const Decoded& decoded) {
  amounts_.clear();
  for (const Decoded::Update& update : decoded.updates) amounts_.push_back(value(update.amount));
  for (std::size_t i = 0; i < decoded.updates.size(); ++i) {
    const auto number = static_cast<std::size_t>(decoded.updates[i].reg);
    const std::int64_t base = decoded.meaning == Meaning::set ? 0 : registers_[number];
    registers_[number] = wrap(*register_of_[number], wrapping_add(base, amounts_[i]));
  }
}

bool FrontEnd::enter_loop(const Decoded& decoded) {
  const std::int64_t count = arguments_[0], length = arguments_[1];
  const std::int64_t limit = loops_.empty() ? end_ : loops_.back().end;
  const std::int64_t begin = pc_ + 1;
  std::string mistake;
  if (count < 0) mistake = fmt::format("a loop of {} turns", count);
  if (length < 0 || length > limit - begin)
    mistake = fmt::format("a loop of {} instructions leaves what encloses it", length);
  if (count > 0 && length > 0 && static_cast<int>(loops_.size()) >= architecture_.controller.loop_depth) {
    mistake = fmt::format("loops nest deeper than the controller's {}", architecture_.controller.loop_depth);
  }
  if (!mistake.empty()) {
    hazards_.end("loop_overflow", now(), decoded.index, decoded.mnemonic, mistake);
    return false;
  }
  if (count <= 0 || length == 0) {
    pc_ += length;
    advance();
    return true;
  }
  loops_.push_back({begin, begin + length, count});
  pc_ = begin;
  return true;
}

void FrontEnd::advance() {
  ++pc_;
  while (!loops_.empty() && pc_ == loops_.back().end) {
    if (--loops_.back().left > 0) {
      pc_ = loops_.back().begin;
      return;
    }
    loops_.pop_back();
  }
}

/// Whether no loop comes back to what lies before the instruction.
bool FrontEnd::has_left(std::int64_t instruction) const {
  return pc_ >= instruction &&
         std::ranges::all_of(loops_, [&](const Loop& loop) { return loop.begin >= instruction || loop.left == 1; });
}

void FrontEnd::end_layers(bool all) {
  while (next_end_ < ends_->size()) {
    const ProgramMap::LayerEnd& end = (*ends_)[next_end_];
    if (!all && !has_left(end.end)) return;
    ++next_end_;
    if (layer_over) layer_over(end.layer);
  }
}

}  // namespace accord::sim
