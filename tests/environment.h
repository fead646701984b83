#pragma once

#include <cstdint>
#include <cstdlib>

namespace accord::test {

/// What an environment variable asks a test for: how many cases, which seed.
inline std::uint64_t asked(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// The first seed of random cases: other ones.
inline std::uint64_t first_seed() { return asked("ACCORD_RANDOM_SEED", 1); }

}  // namespace accord::test
