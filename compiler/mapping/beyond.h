#pragma once

#include "compiler/codelets/work.h"

namespace accord {

/// Whether counts of the iterator beyond its extent reach no element of the access's operand.
bool leaves_operand(const Work& work, const Access& access, int iterator);

/// Whether the statement adds 0 at counts of the iterator beyond its extent, where reads beyond an operand yield 0.
bool adds_nothing_beyond(const Work& work, int statement, int iterator);

}  // namespace accord
