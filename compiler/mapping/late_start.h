#pragma once

#include <vector>

#include "compiler/codelets/work.h"

namespace accord {

/// Work whose sums begin with what a tensor holds (a bias), with sums that begin with 0 and get it when they are whole:
/// for machines on which nothing but 0 comes to where sums are. What follows reads them with it, or a statement of its
/// own adds it, where the sums are or to another place:
///     acc = 0;  acc += x * w;  y = f(acc + b)
///     acc = 0;  acc += x * w;  acc += b;  y = f(acc)
///     acc = 0;  acc += x * w;  acc = acc + b;  y = f(acc)
/// Integers wrap, so that they come to the same; floats are rounded in another order. None where sums begin with a
/// number, or are none.
std::vector<Work> with_late_start(const Work& work);

}  // namespace accord
