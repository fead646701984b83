#include "archdsl/tensor/convert.h"

#include <cassert>
#include <cmath>
#include <cstring>

#include "archdsl/tensor/float_format.h"

namespace accord {
namespace {

template <typename T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

std::int64_t saturate(ElementType type, double value) {
  if (std::isnan(value)) return 0;
  if (value <= lowest(type)) return type == ElementType::i64 ? INT64_MIN : static_cast<std::int64_t>(lowest(type));
  if (value >= highest(type)) return type == ElementType::i64 ? INT64_MAX : static_cast<std::int64_t>(highest(type));
  return static_cast<std::int64_t>(value);
}

// One rounding, from double: going through float would round twice.
template <typename F>
double round_once(double value) {
  constexpr double largest = decode<F>(F::max_finite);
  if (std::isnan(value) || value == 0) return value;
  double rounded = value;
  if (!std::isinf(value)) {
    const int exponent = std::max(std::ilogb(value), F::min_exponent);
    const double quantum = std::ldexp(1.0, exponent - F::mantissa_bits);
    rounded = std::nearbyint(value / quantum) * quantum;
  }
  if (std::fabs(rounded) <= largest) return rounded;
  return std::copysign(F::has_infinity ? std::numeric_limits<double>::infinity() : largest, value);
}

template <typename F>
std::uint32_t encode_nearest(double value) {
  return encode<F>(static_cast<float>(round_once<F>(value)));
}

}  // namespace

double load_element(const std::byte* at, ElementType type) {
  switch (type) {
    case ElementType::i4: return static_cast<std::int8_t>(read<std::uint8_t>(at) << 4) >> 4;
    case ElementType::i8: return read<std::int8_t>(at);
    case ElementType::u8: return read<std::uint8_t>(at);
    case ElementType::i16: return read<std::int16_t>(at);
    case ElementType::i32: return read<std::int32_t>(at);
    case ElementType::i64: return static_cast<double>(read<std::int64_t>(at));
    case ElementType::fp8e4m3: return decode<Fp8e4m3>(read<std::uint8_t>(at));
    case ElementType::fp8e5m2: return decode<Fp8e5m2>(read<std::uint8_t>(at));
    case ElementType::fp16: return decode<Fp16>(read<std::uint16_t>(at));
    case ElementType::bf16: return decode<Bf16>(read<std::uint16_t>(at));
    case ElementType::fp32: return read<float>(at);
  }
  assert(false);
  return 0;
}

void store_element(std::byte* at, ElementType type, double value) {
  switch (type) {
    case ElementType::i4:
    case ElementType::i8: return write(at, static_cast<std::int8_t>(saturate(type, value)));
    case ElementType::u8: return write(at, static_cast<std::uint8_t>(saturate(type, value)));
    case ElementType::i16: return write(at, static_cast<std::int16_t>(saturate(type, value)));
    case ElementType::i32: return write(at, static_cast<std::int32_t>(saturate(type, value)));
    case ElementType::i64: return write(at, saturate(type, value));
    case ElementType::fp8e4m3: return write(at, static_cast<std::uint8_t>(encode_nearest<Fp8e4m3>(value)));
    case ElementType::fp8e5m2: return write(at, static_cast<std::uint8_t>(encode_nearest<Fp8e5m2>(value)));
    case ElementType::fp16: return write(at, static_cast<std::uint16_t>(encode_nearest<Fp16>(value)));
    case ElementType::bf16: return write(at, static_cast<std::uint16_t>(encode_nearest<Bf16>(value)));
    case ElementType::fp32: return write(at, static_cast<float>(value));
  }
}

double round_to(ElementType type, double value) {
  switch (type) {
    case ElementType::fp8e4m3: return round_once<Fp8e4m3>(value);
    case ElementType::fp8e5m2: return round_once<Fp8e5m2>(value);
    case ElementType::fp16: return round_once<Fp16>(value);
    case ElementType::bf16: return round_once<Bf16>(value);
    default: return static_cast<float>(value);
  }
}

float round_to(ElementType type, float value) {
  switch (type) {
    case ElementType::fp8e4m3: return round_to_format<Fp8e4m3>(value);
    case ElementType::fp8e5m2: return round_to_format<Fp8e5m2>(value);
    case ElementType::fp16: return round_to_format<Fp16>(value);
    case ElementType::bf16: return round_to_format<Bf16>(value);
    default: return value;
  }
}

}  // namespace accord
