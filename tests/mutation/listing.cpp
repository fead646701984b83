#include "tests/mutation/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "archdsl/source/error.h"

namespace accord::test {

namespace {

constexpr std::size_t loop_length = 1;  // argument of a loop

}  // namespace

Listing::Listing(const Architecture& architecture, Program program)
    : architecture_(architecture), program_(std::move(program)) {
  const Decoder decoder(architecture.isa);
  if (program_.stages.empty()) {
    program_.stages.push_back({});
    program_.stages.back().count = static_cast<std::int64_t>(program_.text.size() / decoder.size());
  }
  for (std::size_t at = 0; at < program_.text.size(); at += decoder.size()) {
    if (!decoder.decode(program_.text.data() + at, instructions_.emplace_back()))
      throw Error(fmt::format("instruction {} does not decode", at / decoder.size()));
  }
}

const Mnemonic& Listing::mnemonic(std::int64_t i) const {
  return architecture_.isa.mnemonics[static_cast<std::size_t>((*this)[i].mnemonic)];
}

std::int64_t Listing::constant(std::int64_t i, std::size_t argument) const {
  const Binding& binding = mnemonic(i).arguments[argument];
  return binding.base == Binding::Base::none ? value_of(binding, (*this)[i].fields, {}) : -1;
}

std::vector<std::int64_t> Listing::around(std::int64_t at) const {
  std::vector<std::int64_t> loops;
  for (std::int64_t i = 0; i < at; ++i) {
    if (mnemonic(i).meaning == Meaning::loop && at <= i + constant(i, loop_length)) loops.push_back(i);
  }
  return loops;
}

std::int64_t Listing::stage(std::int64_t at) const {
  const auto holds = [at](const Stage& stage) {
    return !stage.host && stage.first <= at && at < stage.first + stage.count;
  };
  return std::ranges::find_if(program_.stages, holds) - program_.stages.begin();
}

bool Listing::together(std::int64_t a, std::int64_t b) const { return stage(a) == stage(b) && around(a) == around(b); }

bool Listing::lengthen(const std::vector<std::int64_t>& loops, std::int64_t by) {
  for (const std::int64_t loop : loops) {
    const Binding& length = mnemonic(loop).arguments[loop_length];
    if (length.base != Binding::Base::none || length.field < 0 || length.unit != 1) return false;
    const auto field = static_cast<std::size_t>(length.field);
    if (!fits(mnemonic(loop).fields[field], (*this)[loop].fields[field] + by)) return false;
  }
  for (const std::int64_t loop : loops)
    (*this)[loop].fields[static_cast<std::size_t>(mnemonic(loop).arguments[loop_length].field)] += by;
  return true;
}

void Listing::shift(std::int64_t at, std::int64_t by) {
  const auto move = [&](auto& range) {
    if (range.first > at)
      range.first += by;
    else if (at < range.first + range.count)
      range.count += by;
  };
  for (Stage& stage : program_.stages) move(stage);
  for (MapEntry& entry : program_.map) move(entry);
  std::erase_if(program_.map, [](const MapEntry& entry) { return entry.count == 0; });
}

bool Listing::erase(std::int64_t at) {
  if (!lengthen(around(at), -1)) return false;
  shift(at, -1);
  instructions_.erase(instructions_.begin() + at);
  return true;
}

bool Listing::insert(std::int64_t at, const Instruction& instruction) {
  if (!lengthen(around(at), 1)) return false;
  shift(at, 1);
  instructions_.insert(instructions_.begin() + at, instruction);
  return true;
}

Program Listing::program() const {
  Program result = program_;
  const auto size = static_cast<std::size_t>(architecture_.isa.width / 8);
  result.text.assign(instructions_.size() * size, std::byte{0});
  for (std::size_t i = 0; i < instructions_.size(); ++i)
    encode(architecture_.isa, instructions_[i], result.text.data() + i * size);
  return result;
}

}  // namespace accord::test
