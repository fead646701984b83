#include "compiler/numerics/weight_loops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/reference/vector_clones.h"

namespace accord::numerics {

namespace {

constexpr std::int64_t lanes = 16;

}  // namespace

ACCORD_VECTOR_CLONES
LargestValue largest_value(std::span<const std::byte> values) {
  const std::int64_t count = std::ssize(values) / static_cast<std::int64_t>(sizeof(float));
  float greatest[lanes] = {};
  std::uint32_t odd[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    float next[lanes];
    std::memcpy(next, values.data() + i * sizeof(float), sizeof next);
    for (std::int64_t l = 0; l < lanes; ++l) {
      const float magnitude = std::abs(next[l]);
      greatest[l] = magnitude > greatest[l] ? magnitude : greatest[l];
      odd[l] |= magnitude != magnitude ? 1U : 0U;
    }
  }
  LargestValue result;
  for (std::int64_t l = 0; l < lanes; ++l) {
    result.greatest = std::max(result.greatest, greatest[l]);
    result.numbers = result.numbers && odd[l] == 0;
  }
  for (; i < count; ++i) {
    float value;
    std::memcpy(&value, values.data() + i * sizeof(float), sizeof value);
    result.numbers = result.numbers && !std::isnan(value);
    result.greatest = std::max(result.greatest, std::abs(value));
  }
  return result;
}

LargestValue largest_value(const float* values, std::int64_t count) {
  return largest_value(std::as_bytes(std::span(values, static_cast<std::size_t>(count))));
}

ACCORD_VECTOR_CLONES
double round_weights(const float* values, std::int64_t count, double scale, float greatest, float* result) {
  double sums[lanes] = {};
  for (std::int64_t begin = 0; begin < count; begin += lanes) {
    const std::int64_t end = std::min(count, begin + lanes);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto ratio = static_cast<float>(std::nearbyint(values[i] / scale));
      const float above = ratio < -greatest ? -greatest : ratio;
      const float integer = greatest < above ? greatest : above;
      result[i] = integer;
      sums[i - begin] += std::abs(integer);
    }
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace accord::numerics
