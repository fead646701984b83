#include "simulator/trace/word_lives.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_words = std::int64_t{1} << 22;

}  // namespace

WordLives::WordLives(const Memory& spec) : word_(spec.word) {
  while (spec.capacity / word_ > most_words) word_ *= 2;
  lives_.resize(static_cast<std::size_t>((spec.capacity + word_ - 1) / word_));
}

}  // namespace accord::sim
