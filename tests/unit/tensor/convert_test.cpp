#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "archdsl/tensor/convert.h"

using namespace accord;

namespace {

struct Format {
  ElementType type;
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;
};

constexpr std::array<Format, 4> formats = {{{ElementType::fp8e4m3, 4, 3, false},
                                            {ElementType::fp8e5m2, 5, 2, true},
                                            {ElementType::fp16, 5, 10, true},
                                            {ElementType::bf16, 8, 7, true}}};

// The definition of the formats, in doubles.
double defined_value(const Format& format, std::uint32_t pattern) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto mantissa = static_cast<int>(pattern & ((1u << format.mantissa_bits) - 1));
  const auto exponent = static_cast<int>((pattern >> format.mantissa_bits) & ((1u << format.exponent_bits) - 1));
  const double sign = (pattern >> (format.exponent_bits + format.mantissa_bits)) & 1 ? -1 : 1;
  const int top = (1 << format.exponent_bits) - 1;
  if (exponent == top && format.has_infinity)
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (exponent == top && mantissa == (1 << format.mantissa_bits) - 1) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
}

std::uint32_t stored(ElementType type, double value) {
  std::array<std::byte, 8> memory{};
  store_element(memory.data(), type, value);
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, memory.data(), static_cast<std::size_t>(bytes(type)));
  return pattern;
}

double loaded(ElementType type, std::uint32_t pattern) {
  return load_element(reinterpret_cast<const std::byte*>(&pattern), type);
}

double stored_value(ElementType type, double value) {
  std::array<std::byte, 8> memory{};
  store_element(memory.data(), type, value);
  return load_element(memory.data(), type);
}

}  // namespace

TEST_CASE("every pattern of the narrow floats has its defined value and stores back") {
  for (const Format& format : formats) {
    for (std::uint32_t pattern = 0; pattern < (1u << bits(format.type)); ++pattern) {
      const double expected = defined_value(format, pattern);
      const double value = loaded(format.type, pattern);
      if (std::isnan(expected)) {
        REQUIRE(std::isnan(value));
        REQUIRE(std::isnan(loaded(format.type, stored(format.type, value))));
        continue;
      }
      REQUIRE(value == expected);
      REQUIRE(stored(format.type, value) == pattern);
      REQUIRE(round_to(format.type, static_cast<float>(value)) == value);
    }
  }
}

TEST_CASE("between neighbours the nearest wins, and the even one in the middle") {
  for (const Format& format : formats) {
    const std::uint32_t end = (1u << (bits(format.type) - 1)) - 1;
    for (std::uint32_t pattern = 0; pattern < end; ++pattern) {
      const double low = defined_value(format, pattern);
      const double high = defined_value(format, pattern + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      const double middle = (low + high) / 2;
      const std::uint32_t even = pattern % 2 == 0 ? pattern : pattern + 1;
      const double infinity = std::numeric_limits<double>::infinity();
      REQUIRE(stored(format.type, middle) == even);
      REQUIRE(stored(format.type, std::nextafter(middle, 0.0)) == pattern);
      REQUIRE(stored(format.type, std::nextafter(middle, infinity)) == pattern + 1);
      REQUIRE(stored(format.type, -middle) == (even | 1u << (bits(format.type) - 1)));
      const auto single = static_cast<float>(middle);
      if (single != middle) continue;
      REQUIRE(round_to(format.type, single) == static_cast<float>(defined_value(format, even)));
      REQUIRE(round_to(format.type, std::nextafter(single, 0.0f)) == static_cast<float>(low));
      REQUIRE(round_to(format.type, std::nextafter(single, std::numeric_limits<float>::infinity())) ==
              static_cast<float>(high));
    }
  }
}

TEST_CASE("rounding a float agrees with rounding a double on random bit patterns") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (const Format& format : formats) {
    for (int i = 0; i < 200000; ++i) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      const float quick = round_to(format.type, value);
      const double exact = round_to(format.type, static_cast<double>(value));
      REQUIRE((std::isnan(value) ? std::isnan(quick) && std::isnan(exact) : quick == exact));
      if (!std::isnan(value)) REQUIRE(std::signbit(quick) == std::signbit(value));
    }
  }
}

TEST_CASE("values beyond the range follow the cast rules") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(stored_value(ElementType::fp8e4m3, 1e9) == 448);
  CHECK(stored_value(ElementType::fp8e4m3, -infinity) == -448);
  CHECK(stored_value(ElementType::fp8e5m2, 61439) == 57344);
  CHECK(stored_value(ElementType::fp8e5m2, 61440) == infinity);
  CHECK(stored_value(ElementType::fp16, 65519) == 65504);
  CHECK(stored_value(ElementType::fp16, 65520) == infinity);
  CHECK(stored_value(ElementType::bf16, -3.4e38) == -infinity);
  CHECK(stored_value(ElementType::fp32, 1e39) == infinity);
  CHECK(round_to(ElementType::fp8e4m3, 1e9f) == 448);
  CHECK(round_to(ElementType::fp16, -65520.0f) == -infinity);
}

TEST_CASE("integers truncate toward zero and saturate") {
  CHECK(stored_value(ElementType::i8, 3.9) == 3);
  CHECK(stored_value(ElementType::i8, -3.9) == -3);
  CHECK(stored_value(ElementType::i8, 1000) == 127);
  CHECK(stored_value(ElementType::i8, -1000) == -128);
  CHECK(stored_value(ElementType::u8, -1) == 0);
  CHECK(stored_value(ElementType::u8, 256) == 255);
  CHECK(stored_value(ElementType::i4, 9) == 7);
  CHECK(stored_value(ElementType::i4, -9) == -8);
  CHECK(stored_value(ElementType::i16, 40000) == 32767);
  CHECK(stored_value(ElementType::i32, 3e9) == 2147483647);
  CHECK(stored_value(ElementType::i32, -std::numeric_limits<double>::infinity()) == -2147483648.0);
  CHECK(stored_value(ElementType::i64, 1e30) == 0x1p63);
  CHECK(stored_value(ElementType::i32, std::nan("")) == 0);
  CHECK(loaded(ElementType::i4, 0x0F) == -1);
  CHECK(loaded(ElementType::i4, 0x17) == 7);
  CHECK(stored(ElementType::i4, -1) == 0xFF);
}

TEST_CASE("type names parse back") {
  for (int i = 0; i <= static_cast<int>(ElementType::fp32); ++i) {
    const auto type = static_cast<ElementType>(i);
    CHECK(parse_element_type(name(type)) == type);
  }
  CHECK_FALSE(parse_element_type("int8"));
  CHECK_FALSE(parse_element_type(""));
}
