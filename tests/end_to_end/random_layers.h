#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"

namespace accord::test {

/// A layer drawn at random, and its sizes for messages.
struct RandomLayer {
  std::string what;
  Network network;  ///< numeric form (docs/operators.md, form 3): one product and its requantisation
};

/// Convolutions with any stride, dilation, group and asymmetric pads, and matrix products of odd sizes, all small, in
/// the machine's types. The same seed gives the same layer for every machine of the same types.
RandomLayer random_layer(const Numerics& numerics, std::uint64_t seed);

/// The same with so few and small loops that all their tilings can be tried.
RandomLayer small_layer(const Numerics& numerics, std::uint64_t seed);

}  // namespace accord::test
