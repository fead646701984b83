#pragma once

#include <functional>
#include <set>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Whether the machine does what the network of one operator and its inputs is about, by itself.
using Computes = std::function<bool(Network alone)>;

/// Operators that the machine has no capability for become others (`equivalents`), where it has one for
/// each of these. The results of those.
std::set<TensorId> write_out(Network& network, const Computes& computes);

/// The same of the operators with these results alone.
std::set<TensorId> write_out(Network& network, const Computes& computes, const std::set<TensorId>& results);

}  // namespace accord::numerics
