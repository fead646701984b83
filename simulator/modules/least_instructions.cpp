#include "simulator/modules/least_instructions.h"

#include <algorithm>

namespace accord::sim {

namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 62;

}  // namespace

std::int64_t plus(std::int64_t a, std::int64_t b) { return a > most_counted - b ? most_counted : a + b; }

std::int64_t times(std::int64_t count, std::int64_t each) {
  return each > 0 && count > most_counted / each ? most_counted : count * each;
}

std::int64_t LeastInstructions::of_turn(std::int64_t begin, std::int64_t end) {
  registers_ = now_;
  std::int64_t total = 0;
  return forget(begin, end) && walk(begin, end, 1, total) ? total : 0;
}

LeastInstructions::Known LeastInstructions::value(const Decoded::Term& term) const {
  if (term.reg < 0) return term.constant;
  const Known& base = registers_[static_cast<std::size_t>(term.reg)];
  return base ? Known(wrapping_add(*base, term.constant)) : std::nullopt;
}

void LeastInstructions::update(const Decoded& decoded) {
  std::vector<Known> amounts;
  for (const Decoded::Update& update : decoded.updates) amounts.push_back(value(update.amount));
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const int number = decoded.updates[i].reg;
    Known& updated = registers_[static_cast<std::size_t>(number)];
    const Known base = decoded.meaning == Meaning::set ? 0 : updated;
    updated.reset();
    if (base && amounts[i]) updated = wrap(*register_of(architecture_.isa, number), wrapping_add(*base, *amounts[i]));
  }
}

// What a turn writes may differ from turn to turn.
bool LeastInstructions::forget(std::int64_t begin, std::int64_t end) {
  Decoded decoded;
  for (std::int64_t i = begin; i < end; ++i) {
    if (!decode_(i, decoded)) return false;
    for (const Decoded::Update& update : decoded.updates) registers_[static_cast<std::size_t>(update.reg)].reset();
  }
  return true;
}

// Deeper than the controller's loops nest the run ends with a mistake.
bool LeastInstructions::walk(std::int64_t begin, std::int64_t end, int depth, std::int64_t& total) {
  Decoded decoded;
  for (std::int64_t i = begin; i < end; ++i) {
    if (!decode_(i, decoded)) return false;
    total = plus(total, 1);
    const bool loop = decoded.meaning == Meaning::loop;
    const Known count = loop ? value(decoded.arguments[0]) : 0;
    const Known length = loop ? value(decoded.arguments[1]) : 0;
    update(decoded);
    if (!loop) continue;
    if (!length || *length < 0 || *length > end - i - 1) return false;
    const std::int64_t behind = i + 1 + *length;
    if (!forget(i + 1, behind)) return false;
    std::int64_t turn = 0;
    if (count && *count > 0) {
      if (depth >= architecture_.controller.loop_depth || !walk(i + 1, behind, depth + 1, turn)) return false;
    }
    total = plus(total, times(count.value_or(0), turn));
    i = behind - 1;
  }
  return true;
}

}  // namespace accord::sim
