#pragma once

#include <optional>
#include <vector>

#include "compiler/network/network.h"

namespace accord {

/// Factors, outermost first, of which each dimension of both shapes is the product of some that stand side by side;
/// nothing where the shapes have none, or no elements: [6, 4] and [4, 6] cut their elements at 4 and at 6.
std::optional<std::vector<std::int64_t>> common_factors(const Shape& a, const Shape& b);

}  // namespace accord
