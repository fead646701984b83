#pragma once

#include "archdsl/graph/architecture.h"

namespace accord {

/// What a machine's capabilities can add to a sum in the accumulator, where the quickest units for products keep it.
enum class AddedSums {
  none,        ///< nothing: a product has to be requantised before something is added
  scalar,      ///< `x * m`, where every m is an argument of the instruction, one for all channels
  per_channel  ///< x, or `x * m` with an m for each channel
};

AddedSums added_sums(const Architecture& architecture);

}  // namespace accord
