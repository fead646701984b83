#pragma once

#include "compiler/network/network.h"

namespace accord::numerics {

/// Softmax becomes ReduceMax, Sub, Exp, ReduceSum and Div, which vector units do one by one; its whole is a sequence
/// that no single capability does.
void expand_softmax(Network& network);

}  // namespace accord::numerics
