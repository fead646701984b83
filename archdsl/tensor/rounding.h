#pragma once

#include <cstdint>

namespace accord {

/// How many parts of `part` cover `whole`; neither is negative, `part` not 0.
constexpr std::int64_t ceil_div(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// The least multiple of `unit` that is not less than `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return ceil_div(value, unit) * unit; }

}  // namespace accord
