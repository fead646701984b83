#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace accord::numerics {

/// Of fp32 numbers: the greatest magnitude of those that are numbers, and whether all are.
struct LargestValue {
  float greatest = 0;
  bool numbers = true;
};
LargestValue largest_value(const float* values, std::int64_t count);
/// Of fp32 numbers at any address.
LargestValue largest_value(std::span<const std::byte> values);

/// result = round(value / scale) within +-greatest; returns the sum of its magnitudes. Exact in any order below 2^53.
double round_weights(const float* values, std::int64_t count, double scale, float greatest, float* result);

}  // namespace accord::numerics
