#pragma once

#include <cstddef>

#include "archdsl/tensor/element_type.h"

namespace accord {

/// Reads one stored element. Exact for every type but i64 beyond 2^53.
double load_element(const std::byte* at, ElementType type);

/// Stores `value` with the semantics of a cast (see Expr): saturation for integers, rounding to nearest even for
/// floats.
void store_element(std::byte* at, ElementType type, double value);

/// Rounds to the nearest value of a float type (returned as float); inputs beyond the range follow the cast rules.
float round_to(ElementType type, float value);

/// The same from a double, rounded once.
double round_to(ElementType type, double value);

}  // namespace accord
