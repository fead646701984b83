#pragma once

#include "compiler/network/network.h"

namespace accord {

/// Warns of fp32 constants with elements that are NaN, or, where they are factors or weights of products, infinite: what
/// comes of them is no error of the machine's. Infinite elements elsewhere are masks.
void warn_of_not_numbers(Network& network);

}  // namespace accord
