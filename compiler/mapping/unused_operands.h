#pragma once

#include "compiler/codelets/work.h"

namespace accord {

/// Leaves out operands that no statement touches; iterators that none counts get the extent 1.
void drop_unused(Work& work);

}  // namespace accord
