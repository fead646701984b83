#pragma once

#include <map>
#include <string>

#include "compiler/network/network.h"
#include "compiler/numerics/calibrate.h"

namespace accord::numerics {

/// Sums with scales of their own in whose steps hardly anything would be left of an operand that what reads them wants:
/// scores that a finite mask is added to, which a Softmax (or a Relu, or the choice of the greatest) takes away again.
/// Where the great values stay, or are summed up with the small ones by a product or a mean, what is lost is little
/// beside them. By operator, with the reason.
std::map<std::size_t, std::string> sums_that_lose_operands(const Network& network, ElementType storage,
                                                           const Calibration& seen);

}  // namespace accord::numerics
