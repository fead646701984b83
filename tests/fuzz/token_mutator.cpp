#include "tests/fuzz/token_mutator.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace accord {
namespace {

/// Separated by bars.
constexpr std::string_view values =
    "0|1|2|3|-1|63|64|65|127|255|256|4096|65535|65536|16384|2147483647|2147483648|4294967296|"
    "1099511627776|1125899906842624|9223372036854775807|18446744073709551615|1e300|0.5|0x10|~|true|[]|{}|"
    "\"\"|1 B|4 KiB|1 GHz|20 ns|1 pJ|16 GB/s|${i}|${1 / 0}|1..64|";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

}  // namespace

TokenMutator::Stretch TokenMutator::word() {
  std::size_t at = pick(text_.size());
  while (at < text_.size() && !is_word(text_[at])) ++at;
  while (at > 0 && at <= text_.size() && is_word(text_[at - 1])) --at;
  std::size_t end = at;
  while (end < text_.size() && is_word(text_[end])) ++end;
  return {at, end - at};
}

TokenMutator::Stretch TokenMutator::line() {
  const std::size_t at = pick(text_.size());
  const std::size_t before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text_.find('\n', begin);
  return {begin, (end == std::string::npos ? text_.size() : end + 1) - begin};
}

std::string TokenMutator::value() {
  if (pick(2) == 0) {
    const std::size_t begin = values.rfind('|', pick(values.size() - 1)) + 1;
    return std::string(values.substr(begin, values.find('|', begin) - begin));
  }
  const Stretch other = word();
  return text_.substr(other.begin, other.size);
}

void TokenMutator::replace_word() {
  const std::string to = value();
  const Stretch from = word();
  text_.replace(from.begin, from.size, to);
}

void TokenMutator::move_line() {
  const Stretch from = line();
  const std::string moved = text_.substr(from.begin, from.size);
  const std::size_t kind = pick(3);
  if (kind != 0) text_.erase(from.begin, from.size);
  if (kind == 1) return;
  const std::size_t times = pick(8) == 0 ? 1 + pick(32) : 1;
  for (std::size_t i = 0; i < times; ++i) text_.insert(line().begin, moved);
}

std::string TokenMutator::run() {
  for (std::size_t changes = 1 + pick(3); changes > 0; --changes) {
    switch (pick(5)) {
      case 0: move_line(); break;
      case 1: {
        const Stretch from{pick(text_.size()), 1 + pick(64)};
        text_.insert(pick(text_.size()), text_.substr(from.begin, from.size));
        break;
      }
      default: replace_word();
    }
  }
  return std::move(text_);
}

}  // namespace accord

/// Half the changes are libFuzzer's own.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = accord::TokenMutator(std::string(reinterpret_cast<const char*>(data), size), seed / 2).run();
  const std::size_t kept = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), kept);
  return kept;
}
