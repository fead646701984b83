#pragma once

#include "compiler/network/network.h"
#include "compiler/network/values.h"

namespace accord {

/// The outputs of a network whose operators' codelets are interpreted one by one. Throws Error where one has none.
Values run_codelets(const Network& network, const Values& inputs);

}  // namespace accord
