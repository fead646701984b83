#pragma once

#include "archdsl/tensor/value.h"
#include "compiler/network/network.h"

namespace accord {

/// The outputs of a network whose operators' codelets are interpreted one by one. Throws Error where one has none.
Values run_codelets(const Network& network, const Values& inputs);

}  // namespace accord
