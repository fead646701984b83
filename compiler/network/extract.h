#pragma once

#include "compiler/network/network.h"

namespace accord {

/// The network of some of the operators (ascending indices) alone: what they read of others becomes an input, what
/// others read of them, and the network's outputs, its outputs.
Network extract(const Network& network, const std::vector<int>& operators);

/// One operator on the network's tensors, which need not be one of its operators, alone.
Network extract(const Network& network, const Operator& op);

}  // namespace accord
