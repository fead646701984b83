#pragma once

#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Softmax becomes ReduceMax, Sub, Exp, ReduceSum and Div, which vector units do one by one; its whole is a sequence
/// that no single capability does.
void expand_softmax(Network& network);

/// The same of one operator, into a list.
void expand_softmax(Network& network, const Operator& op, std::vector<Operator>& operators);

}  // namespace accord::numerics
