#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Sums with scales of their own in whose steps hardly anything would be left of an operand that what reads them wants:
/// scores that a finite mask is added to, which a Softmax (or a Relu, or the choice of the greatest) takes away again.
/// Where the great values stay, or are mixed by a product, a mean or a normalisation, what is lost is little beside
/// them. By operator, with the reason. `largest`: greatest magnitudes seen, by tensor.
std::map<std::size_t, std::string> sums_that_lose_operands(const Network& network, ElementType storage,
                                                           const std::vector<double>& largest);

}  // namespace accord::numerics
