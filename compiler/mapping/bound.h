#pragma once

#include <cstdint>

#include "compiler/mapping/candidates.h"

namespace accord {

/// Lower bound of a layer's cycles on this machine, whatever the program (docs/figures.md).
struct Bound {
  std::int64_t cycles = 0;
  std::int64_t compulsory_bytes = 0;  ///< each off-chip operand's distinct bytes once
};

/// roofline = max(least cycles of the main statement's instructions over all legal assignments, compulsory bytes over
/// the off-chip links), plus the first byte's arrival and the unit's start and drain.
Bound bound_of(const Machine& machine, const Network& network, const Work& work,
               const std::vector<Mapping>& candidates);

/// Multiply-accumulates of the layer: points of its main statement where that multiplies, else 0.
std::int64_t macs_of(const Work& work);

}  // namespace accord
