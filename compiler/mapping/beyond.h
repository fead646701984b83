#pragma once

#include "compiler/codelets/work.h"

namespace accord {

/// Whether counts of the iterator beyond its extent reach no element of the access's operand.
bool leaves_operand(const Work& work, const Access& access, int iterator);

}  // namespace accord
