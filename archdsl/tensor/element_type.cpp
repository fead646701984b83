#include "archdsl/tensor/element_type.h"

#include <array>
#include <cmath>
#include <limits>

#include "archdsl/tensor/float_format.h"

namespace accord {
namespace {

struct Properties {
  std::string_view name;
  int bytes;
  bool is_float;
  double lowest;
  double highest;
  int significand;  ///< of floats, in bits with the leading one
};

constexpr double i64_limit = 9223372036854775808.0;

// In the order of ElementType.
constexpr std::array<Properties, 11> properties = {{
    {"i4", 1, false, -8, 7, 0},
    {"i8", 1, false, -128, 127, 0},
    {"u8", 1, false, 0, 255, 0},
    {"i16", 2, false, -32768, 32767, 0},
    {"i32", 4, false, -2147483648.0, 2147483647.0, 0},
    {"i64", 8, false, -i64_limit, i64_limit, 0},
    {"fp8e4m3", 1, true, -448, 448, Fp8e4m3::mantissa_bits + 1},
    {"fp8e5m2", 1, true, -57344, 57344, Fp8e5m2::mantissa_bits + 1},
    {"fp16", 2, true, -65504, 65504, Fp16::mantissa_bits + 1},
    {"bf16", 2, true, -0x1.FEp127, 0x1.FEp127, Bf16::mantissa_bits + 1},
    {"fp32", 4, true, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max(),
     std::numeric_limits<float>::digits},
}};

constexpr const Properties& of(ElementType type) { return properties[static_cast<std::size_t>(type)]; }

}  // namespace

int bits(ElementType type) { return of(type).bytes * 8; }

int bytes(ElementType type) { return of(type).bytes; }

bool is_float(ElementType type) { return of(type).is_float; }

double lowest(ElementType type) { return of(type).lowest; }

double highest(ElementType type) { return of(type).highest; }

double greatest_count(ElementType type) {
  return is_float(type) ? std::ldexp(1.0, of(type).significand) : highest(type);
}

std::string_view name(ElementType type) { return of(type).name; }

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (properties[i].name == text) return static_cast<ElementType>(i);
  return std::nullopt;
}

}  // namespace accord
