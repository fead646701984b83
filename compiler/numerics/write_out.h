#pragma once

#include <functional>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Whether the machine does what the network of one operator and its inputs is about, by itself.
using Computes = std::function<bool(Network alone)>;

/// Operators that the machine has no capability for become others (`equivalents`), where it has one for
/// each of these.
void write_out(Network& network, const Computes& computes);

}  // namespace accord::numerics
