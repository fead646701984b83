// No include guard: included once per instruction set (see lane_table.h).
//
// Scalar operations, as the interpreter defines them.

namespace accord::ACCORD_LANES {
namespace {

// Two's complement arithmetic without undefined overflow.
template <typename T>
struct Unsigned {
  using type = std::make_unsigned_t<T>;
};
template <>
struct Unsigned<float> {
  using type = float;
};
template <typename T>
using Wide = typename Unsigned<T>::type;

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
};
struct Div {
  static float apply(float a, float b) { return a / b; }
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0) return 0;
    return b == -1 ? static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a)) : a / b;
  }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct ShiftLeft {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T limit = sizeof(T) * 8;
    const T shifted = static_cast<T>(static_cast<Wide<T>>(a) << (b & (limit - 1)));
    const T in_range = b >= limit ? T{0} : shifted;
    return b <= 0 ? a : in_range;
  }
};
struct ShiftRight {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T last = sizeof(T) * 8 - 1;
    const T positive = b < 0 ? T{0} : b;
    return a >> (positive > last ? last : positive);
  }
};
struct Pow {
  static float apply(float a, float b) { return std::pow(a, b); }
};
struct Remainder {
  static float apply(float a, float b) { return std::fmod(a, b); }
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    return b == -1 ? T{0} : a % b;
  }
};
struct Less {
  template <typename T>
  static std::int32_t apply(T a, T b) {
    return a < b;
  }
};
struct Equal {
  template <typename T>
  static std::int32_t apply(T a, T b) {
    return a == b;
  }
};
struct Last {
  template <typename T>
  static T apply(T, T b) {
    return b;
  }
};

struct Neg {
  static float apply(float a) { return -a; }
  template <typename T>
  static T apply(T a) {
    return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
  }
};
struct Abs {
  static float apply(float a) { return std::fabs(a); }
  template <typename T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Round {
  static float apply(float a) { return std::nearbyint(a); }
};
struct RoundAway {
  // Adding the float below one half never carries a smaller fraction over.
  static float apply(float a) { return std::trunc(a + std::copysign(0x1.FFFFFEp-2f, a)); }
};
struct Floor {
  static float apply(float a) { return std::floor(a); }
};
struct Ceil {
  static float apply(float a) { return std::ceil(a); }
};
struct Exp {
  static float apply(float a) { return std::exp(a); }
};
struct Log {
  static float apply(float a) { return std::log(a); }
};
struct Sqrt {
  static float apply(float a) { return std::sqrt(a); }
};
struct Tanh {
  static float apply(float a) { return std::tanh(a); }
};
struct Erf {
  static float apply(float a) { return std::erf(a); }
};
struct Sin {
  static float apply(float a) { return std::sin(a); }
};
struct Cos {
  static float apply(float a) { return std::cos(a); }
};
struct Tan {
  static float apply(float a) { return std::tan(a); }
};
struct Asin {
  static float apply(float a) { return std::asin(a); }
};
struct Acos {
  static float apply(float a) { return std::acos(a); }
};
struct Atan {
  static float apply(float a) { return std::atan(a); }
};
struct Sinh {
  static float apply(float a) { return std::sinh(a); }
};
struct Cosh {
  static float apply(float a) { return std::cosh(a); }
};
struct Asinh {
  static float apply(float a) { return std::asinh(a); }
};
struct Acosh {
  static float apply(float a) { return std::acosh(a); }
};
struct Atanh {
  static float apply(float a) { return std::atanh(a); }
};

}  // namespace
}  // namespace accord::ACCORD_LANES
