#pragma once

#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Writes other operators that give what `op` gives: appends them to `operators`, and their results to the network.
/// False, with nothing written: this operator's inputs or attributes do not allow it.
using Equivalent = bool (*)(Network& network, const Operator& op, std::vector<Operator>& operators);

/// Ways to compute an operator of fp32 tensors, element-wise but for averages of windows, by others; those that round
/// least first.
const std::vector<Equivalent>& equivalents(const std::string& type);

}  // namespace accord::numerics
