#pragma once

#include "compiler/network/network.h"

namespace accord {

/// Removes operators whose results nobody uses and tensors that nothing refers to. Inputs and outputs stay.
/// Renumbers tensors; keeps their order.
void remove_unused(Network& network);

}  // namespace accord
