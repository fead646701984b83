#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace accord {

/// Scalar types of tensors, operands and registers. Values are bit-exact in these types.
/// fp8 formats: OCP 8-bit Floating Point Specification 1.0 (E4M3 has no infinity, E5M2 has).
enum class ElementType : std::uint8_t { i4, i8, u8, i16, i32, i64, fp8e4m3, fp8e5m2, fp16, bf16, fp32 };

/// Storage size in bits; i4 is stored one element per byte (low nibble, sign-extended) and reports 8.
int bits(ElementType type);

/// Storage size in bytes.
int bytes(ElementType type);

bool is_float(ElementType type);

/// Smallest and largest finite value of the type, exact in double except for i64.
double lowest(ElementType type);
double highest(ElementType type);

/// The greatest n such that the type has every integer from 0 to n: of floats what their significands count to.
double greatest_count(ElementType type);

/// "i8", "fp32", ...
std::string_view name(ElementType type);

/// Inverse of `name`; nullopt for anything else.
std::optional<ElementType> parse_element_type(std::string_view text);

}  // namespace accord
