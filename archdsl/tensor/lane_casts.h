// No include guard: included once per instruction set (see lane_table.h).
//
// Casts between lanes.

namespace accord::ACCORD_LANES {
namespace {

// Bounds are those of the element type in the lanes' own type.

template <ElementType type>
constexpr std::int64_t lower_bound = type == ElementType::i4    ? -8
                                     : type == ElementType::i64 ? std::numeric_limits<std::int64_t>::min()
                                     : type == ElementType::u8
                                         ? 0
                                         : std::numeric_limits<typename ElementOf<type>::Stored>::min();
template <ElementType type>
constexpr std::int64_t upper_bound =
    type == ElementType::i4 ? 7
                            : static_cast<std::int64_t>(std::numeric_limits<typename ElementOf<type>::Stored>::max());

template <ElementType type, typename Lane>
Lane integer_from_float(float value) {
  constexpr auto low = static_cast<float>(lower_bound<type>);
  constexpr bool rounds_up = sizeof(typename ElementOf<type>::Stored) >= 4;  // the bound is no float
  constexpr float beyond = sizeof(Lane) == 8 ? 0x1p63f : 0x1p31f;
  constexpr float below_beyond = sizeof(Lane) == 8 ? 0x1.FFFFFEp62f : 0x1.FFFFFEp30f;
  constexpr float high = rounds_up ? below_beyond : static_cast<float>(upper_bound<type>);
  float bounded = value > low ? value : low;
  bounded = bounded < high ? bounded : high;
  auto result = static_cast<Lane>(bounded);
  if constexpr (rounds_up) result = value >= beyond ? static_cast<Lane>(upper_bound<type>) : result;
  return value == value ? result : Lane{0};
}

template <ElementType type, typename From>
auto convert_lane(From value) {
  using E = ElementOf<type>;
  using Lane = typename E::Lane;
  if constexpr (std::is_same_v<Lane, float>) {
    if constexpr (std::is_same_v<From, float>)
      return E::narrow(value);
    else if constexpr (type == ElementType::fp32)
      return static_cast<float>(value);
    else
      return static_cast<float>(round_to(type, static_cast<double>(value)));  // fp32 first would round twice
  } else if constexpr (std::is_same_v<From, float>) {
    return integer_from_float<type, Lane>(value);
  } else {
    constexpr auto low = std::max<std::int64_t>(lower_bound<type>, std::numeric_limits<From>::min());
    constexpr auto high = std::min<std::int64_t>(upper_bound<type>, std::numeric_limits<From>::max());
    const From bounded = value < static_cast<From>(low) ? static_cast<From>(low) : value;
    return static_cast<Lane>(bounded > static_cast<From>(high) ? static_cast<From>(high) : bounded);
  }
}

template <ElementType type, typename From>
void convert(void* out, const void* in, std::int64_t count) {
  using Lane = typename ElementOf<type>::Lane;
  const auto* from = static_cast<const From*>(in);
  auto* to = static_cast<Lane*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = convert_lane<type>(from[i]);
}

}  // namespace
}  // namespace accord::ACCORD_LANES
