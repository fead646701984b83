#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace accord {

/// Layout of a binary float format narrower than fp32: bias 2^(exponent-1) - 1, subnormals, round to nearest even.
/// `has_infinity` as in IEEE 754; without, the top exponent holds numbers and only the all-ones pattern is NaN
/// (E4M3 of the OCP 8-bit Floating Point Specification 1.0).
template <int ExponentBits, int MantissaBits, bool HasInfinity>
struct FloatFormat {
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr bool has_infinity = HasInfinity;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int min_exponent = 1 - bias;
  static constexpr int max_exponent = HasInfinity ? bias : bias + 1;
  static constexpr std::uint32_t sign = 1u << (ExponentBits + MantissaBits);
  static constexpr std::uint32_t infinity = ((1u << ExponentBits) - 1) << MantissaBits;
  static constexpr std::uint32_t nan = HasInfinity ? infinity | 1u << (MantissaBits - 1) : sign - 1;
  static constexpr std::uint32_t max_finite = HasInfinity ? infinity - 1 : sign - 2;
};

using Fp8e4m3 = FloatFormat<4, 3, false>;
using Fp8e5m2 = FloatFormat<5, 2, true>;
using Fp16 = FloatFormat<5, 10, true>;
using Bf16 = FloatFormat<8, 7, true>;

/// 2^exponent as a float, also where that is subnormal.
constexpr float power_of_two(int exponent) {
  if (exponent < -126) return std::bit_cast<float>(1u << (exponent + 149));
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// The functions below are free of branches, so that loops over them vectorise.

/// Value of a bit pattern.
template <typename F>
constexpr float decode(std::uint32_t pattern) {
  constexpr int shift = 23 - F::mantissa_bits;
  const std::uint32_t magnitude = pattern & (F::sign - 1);
  const std::uint32_t sign = (pattern & F::sign) << (31 - F::exponent_bits - F::mantissa_bits);
  const std::uint32_t normal = (magnitude << shift) + (static_cast<std::uint32_t>(127 - F::bias) << 23);
  const float small =
      static_cast<float>(static_cast<std::int32_t>(magnitude)) * power_of_two(F::min_exponent - F::mantissa_bits);
  std::uint32_t result = magnitude < (1u << F::mantissa_bits) ? std::bit_cast<std::uint32_t>(small) : normal;
  if constexpr (F::has_infinity) {
    const std::uint32_t special = 0x7F800000u | (magnitude & ((1u << F::mantissa_bits) - 1)) << shift;
    result = magnitude >= F::infinity ? special : result;
  } else {
    result = magnitude == F::nan ? 0x7FC00000u : result;
  }
  return std::bit_cast<float>(result | sign);
}
template <>
constexpr float decode<Bf16>(std::uint32_t pattern) {
  return std::bit_cast<float>(pattern << 16);
}

/// Nearest value of the format, ties to even; too large gives infinity, or the largest value where there is none.
template <typename F>
constexpr float round_to_format(float value) {
  constexpr int shift = 23 - F::mantissa_bits;
  constexpr float largest = decode<F>(F::max_finite);
  constexpr float overflow = F::has_infinity ? std::numeric_limits<float>::infinity() : largest;
  // Adding and subtracting this leaves multiples of the smallest subnormal.
  constexpr float grid = 1.5f * power_of_two(23 + F::min_exponent - F::mantissa_bits);
  const std::uint32_t pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = pattern & 0x7FFFFFFFu;
  const float absolute = std::bit_cast<float>(magnitude);
  const std::uint32_t even = (magnitude >> shift) & 1u;
  const std::uint32_t kept = (magnitude + ((1u << (shift - 1)) - 1 + even)) & ~((1u << shift) - 1);
  float rounded = std::bit_cast<float>(kept);  // subnormals, too, where they are those of fp32, cut
  if constexpr (F::min_exponent != -126) {
    const float small = (absolute + grid) - grid;
    rounded = absolute < power_of_two(F::min_exponent) ? small : rounded;
  }
  rounded = rounded > largest ? overflow : rounded;
  rounded = magnitude > 0x7F800000u ? std::numeric_limits<float>::quiet_NaN() : rounded;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | (pattern & 0x80000000u));
}

/// Bit pattern of a value that the format holds exactly.
template <typename F>
constexpr std::uint32_t encode(float value) {
  constexpr int shift = 23 - F::mantissa_bits;
  constexpr float to_subnormal = power_of_two(F::mantissa_bits - F::min_exponent);
  const std::uint32_t pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = pattern & 0x7FFFFFFFu;
  const std::uint32_t sign = (pattern >> 31) * F::sign;
  const float absolute = std::bit_cast<float>(magnitude);
  const bool is_small = absolute < power_of_two(F::min_exponent);
  const auto small = static_cast<std::uint32_t>(static_cast<std::int32_t>((is_small ? absolute : 0.0f) * to_subnormal));
  const std::uint32_t normal = (magnitude - (static_cast<std::uint32_t>(127 - F::bias) << 23)) >> shift;
  std::uint32_t result = is_small ? small : normal;
  if constexpr (F::has_infinity) result = magnitude == 0x7F800000u ? F::infinity : result;
  result = magnitude > 0x7F800000u ? F::nan : result;
  return result | sign;
}
template <>
constexpr std::uint32_t encode<Bf16>(float value) {
  return std::bit_cast<std::uint32_t>(value) >> 16;
}

}  // namespace accord
