#include "compiler/reference/elements.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "archdsl/tensor/convert.h"

namespace accord::reference {
namespace {

/// Integers modulo a power of 2.
template <typename T>
constexpr bool wraps = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;

template <typename Stored, typename T>
void widen(const std::byte* from, std::int64_t count, T* to) {
  if constexpr (std::is_same_v<Stored, T>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      Stored value;
      std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof(Stored)), sizeof(Stored));
      if constexpr (wraps<T> && std::is_integral_v<Stored>) {
        to[i] = static_cast<T>(static_cast<std::int64_t>(value));
      } else {
        to[i] = static_cast<T>(value);
      }
    }
  }
}

template <typename T>
void widen_bf16(const std::byte* from, std::int64_t count, T* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t high;
    std::memcpy(&high, from + 2 * i, sizeof high);
    to[i] = static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(high) << 16));
  }
}

void narrow_to_bf16(const float* from, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits_in = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t to_even = bits_in + 0x7fffu + (bits_in >> 16 & 1u);
    const bool is_nan = (bits_in & 0x7fffffffu) > 0x7f800000u;
    const auto high = static_cast<std::uint16_t>(is_nan ? bits_in >> 16 | 0x40u : to_even >> 16);
    std::memcpy(to + 2 * i, &high, sizeof high);
  }
}

void narrow_to_i8(const float* from, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float inside = from[i] < -128.0f ? -128.0f : from[i] > 127.0f ? 127.0f : from[i];
    to[i] = static_cast<std::byte>(inside == inside ? static_cast<std::int32_t>(inside) : 0);
  }
}

}  // namespace

template <typename T>
void load_range(const TensorView& tensor, std::int64_t first, std::int64_t count, T* to) {
  const std::int64_t size = bytes(tensor.type);
  const std::byte* from = tensor.data + first * size;
  switch (tensor.type) {
    case ElementType::i8: return widen<std::int8_t>(from, count, to);
    case ElementType::u8: return widen<std::uint8_t>(from, count, to);
    case ElementType::i16: return widen<std::int16_t>(from, count, to);
    case ElementType::i32: return widen<std::int32_t>(from, count, to);
    case ElementType::i64: return widen<std::int64_t>(from, count, to);
    case ElementType::fp32: return widen<float>(from, count, to);
    case ElementType::bf16: return widen_bf16(from, count, to);
    default: break;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = load_element(from + i * size, tensor.type);
    to[i] = wraps<T> ? static_cast<T>(static_cast<std::int64_t>(value)) : static_cast<T>(value);
  }
}

template <typename T>
std::vector<T> load_as(const TensorView& tensor) {
  std::vector<T> elements(count_of(tensor.shape));
  load_range(tensor, 0, static_cast<std::int64_t>(elements.size()), elements.data());
  return elements;
}

template <typename T>
void store_range(Value& to, std::int64_t first, std::span<const T> elements) {
  const std::int64_t size = bytes(to.type);
  std::byte* out = to.data.data() + first * size;
  const bool same_bits = (std::is_same_v<T, float> && to.type == ElementType::fp32) ||
                         (std::is_same_v<T, std::uint32_t> && to.type == ElementType::i32) ||
                         (sizeof(T) == 8 && std::is_integral_v<T> && to.type == ElementType::i64);
  if (same_bits) {
    if (!elements.empty()) std::memcpy(out, elements.data(), elements.size_bytes());
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (to.type == ElementType::bf16) return narrow_to_bf16(elements.data(), elements.size(), out);
    if (to.type == ElementType::i8) return narrow_to_i8(elements.data(), elements.size(), out);
  }
  for (std::size_t i = 0; i < elements.size(); ++i, out += size) {
    if constexpr (wraps<T>) {
      if (!is_float(to.type) && to.type != ElementType::i4 && size < static_cast<std::int64_t>(sizeof(T))) {
        std::memcpy(out, &elements[i], static_cast<std::size_t>(size));  // the low bytes stand first
        continue;
      }
      store_element(out, to.type, static_cast<double>(static_cast<std::make_signed_t<T>>(elements[i])));
    } else {
      store_element(out, to.type, static_cast<double>(elements[i]));
    }
  }
}

#define ACCORD_INSTANTIATE(T)                                                     \
  template void load_range<T>(const TensorView&, std::int64_t, std::int64_t, T*); \
  template std::vector<T> load_as<T>(const TensorView&);                          \
  template void store_range<T>(Value&, std::int64_t, std::span<const T>);
ACCORD_INSTANTIATE(float)
ACCORD_INSTANTIATE(double)
ACCORD_INSTANTIATE(std::int64_t)
ACCORD_INSTANTIATE(std::uint32_t)
ACCORD_INSTANTIATE(std::uint64_t)
#undef ACCORD_INSTANTIATE

}  // namespace accord::reference
