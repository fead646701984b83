#pragma once

#include <cstddef>
#include <cstdint>

#include "archdsl/tensor/statement.h"

namespace accord {

/// One value of the interpreter: integers exact to 64 bits, floats held in float whatever their format.
struct Scalar {
  ElementType type{};
  std::int64_t integer = 0;
  float real = 0;
};

Scalar make_scalar(ElementType type, double value);
Scalar load_scalar(const std::byte* at, ElementType type);
void store_scalar(std::byte* at, const Scalar& value);
double to_double(const Scalar& value);

/// The conversion of a cast.
Scalar cast_scalar(const Scalar& value, ElementType type);

/// One operation on arguments that are already of the type it computes in (select: but for the condition).
Scalar apply_scalar(ExprOp op, ElementType result, const Scalar* args);

}  // namespace accord
