#pragma once

#include <bit>
#include <cstdint>

namespace accord {

/// How many parts of `part` cover `whole`; neither is negative, `part` not 0.
constexpr std::int64_t ceil_div(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// The least multiple of `unit` that is not less than `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return ceil_div(value, unit) * unit; }

/// log2 of a power of two, so that it can be divided by with a shift; -1 of any other number.
constexpr int exact_log2(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value > 0 && std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
}

}  // namespace accord
