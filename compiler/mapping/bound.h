#pragma once

#include <cstdint>

#include "compiler/mapping/candidates.h"
#include "compiler/mapping/homes.h"

namespace accord {

/// Lower bound of a layer's cycles on this machine, whatever the program (docs/figures.md).
struct Bound {
  std::int64_t cycles = 0;
  std::int64_t compute_cycles = 0;    ///< of these, what follows the first instruction that computes
  std::int64_t compulsory_bytes = 0;  ///< each off-chip operand's distinct bytes once
};

/// roofline = max(least cycles of the main statement's instructions over all legal assignments, compulsory bytes over
/// the off-chip links), plus the first byte's arrival and the unit's start and drain.
/// Tensors whose homes lie on chip cost no off-chip bytes.
Bound bound_of(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
               const std::vector<Mapping>& candidates);

/// Bytes per reference cycle of everything that meets off-chip memory, each wire once; 0 where nothing does.
double off_chip_width(const Architecture& architecture);

/// Multiply-accumulates of the layer: points of its main statement where that multiplies, else 0.
std::int64_t macs_of(const Work& work);

}  // namespace accord
