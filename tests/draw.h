#pragma once

#include <cstdint>
#include <random>

namespace accord::test {

/// Numbers drawn from a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  /// Not std::uniform_int_distribution: its results differ between libraries.
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool once_in(int n) { return from(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace accord::test
