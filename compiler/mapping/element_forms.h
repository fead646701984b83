#pragma once

#include <vector>

#include "compiler/codelets/work.h"

namespace accord {

/// Other forms of work that begins with a sum element by element, for units that have it only so:
///     z = x + b;  y = f(z)      as  y = f(x + b)
///     z = x + b;  ..            as  z = b;  z += x;  ..     (b: a constant, with which accumulators can begin)
/// Operands that are read nowhere else are left out. None where the work begins otherwise.
std::vector<Work> element_forms(const Work& work);

}  // namespace accord
