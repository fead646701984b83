#pragma once

#include <map>

#include "compiler/mapping/geometry.h"

namespace accord {

/// Bytes that a mapping moves to and from off-chip memory.
struct OffChipTraffic {
  std::map<TensorId, double>
      tensors;           ///< of what layers hand on to each other, and of the network's inputs and outputs
  double constants = 0;  ///< weights, initial values, constant vectors
  double total() const;
};

OffChipTraffic off_chip_traffic_of(const Machine& machine, Geometry& geometry, const Work& work,
                                   const Mapping& mapping);

}  // namespace accord
