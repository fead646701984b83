#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codelets/work.h"

namespace accord {

/// Whether the statement, which reduces over the iterator, yields the same where the iterator runs on to its padded
/// extent: whatever lies inside the operands that it reads, the points beyond add nothing.
bool padding_is_neutral(const Work& work, const std::vector<std::int64_t>& padded, const Statement& statement,
                        int iterator);

}  // namespace accord
