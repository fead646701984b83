#pragma once

#include <bit>
#include <cstdint>

namespace accord::sim {

/// log2 of a power of two, so that it can be divided by with a shift; -1 of any other number.
inline int exact_log2(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
}

}  // namespace accord::sim
