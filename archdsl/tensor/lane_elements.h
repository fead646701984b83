// No include guard: included once per instruction set (see lane_table.h).
//
// Element types in memory and in lanes.

namespace accord::ACCORD_LANES {
namespace {

template <typename T>
T read(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
void write(std::byte* at, T value) {
  __builtin_memcpy(at, &value, sizeof value);
}

template <typename Memory, typename LaneT>
struct Plain {
  using Stored = Memory;
  using Lane = LaneT;
  static Lane decode(Stored value) { return value; }
  static Stored encode(Lane value) { return static_cast<Stored>(value); }
  static Lane narrow(Lane value) { return static_cast<Stored>(value); }
};
struct Nibble {
  using Stored = std::int8_t;
  using Lane = std::int32_t;
  static Lane decode(Stored value) { return narrow(value); }
  static Stored encode(Lane value) { return static_cast<Stored>(value); }
  static Lane narrow(Lane value) { return static_cast<Lane>(static_cast<std::uint32_t>(value) << 28) >> 28; }
};
template <typename Format, typename Memory>
struct Narrow {
  using Stored = Memory;
  using Lane = float;
  static Lane decode(Stored value) { return accord::decode<Format>(value); }
  static Stored encode(Lane value) { return static_cast<Stored>(accord::encode<Format>(value)); }
  static Lane narrow(Lane value) { return round_to_format<Format>(value); }
};

template <ElementType type>
struct ElementOf;
template <>
struct ElementOf<ElementType::i4> : Nibble {};
template <>
struct ElementOf<ElementType::i8> : Plain<std::int8_t, std::int32_t> {};
template <>
struct ElementOf<ElementType::u8> : Plain<std::uint8_t, std::int32_t> {};
template <>
struct ElementOf<ElementType::i16> : Plain<std::int16_t, std::int32_t> {};
template <>
struct ElementOf<ElementType::i32> : Plain<std::int32_t, std::int32_t> {};
template <>
struct ElementOf<ElementType::i64> : Plain<std::int64_t, std::int64_t> {};
template <>
struct ElementOf<ElementType::fp8e4m3> : Narrow<Fp8e4m3, std::uint8_t> {};
template <>
struct ElementOf<ElementType::fp8e5m2> : Narrow<Fp8e5m2, std::uint8_t> {};
template <>
struct ElementOf<ElementType::fp16> : Narrow<Fp16, std::uint16_t> {};
template <>
struct ElementOf<ElementType::bf16> : Narrow<Bf16, std::uint16_t> {};
template <>
struct ElementOf<ElementType::fp32> : Plain<float, float> {};

}  // namespace
}  // namespace accord::ACCORD_LANES
