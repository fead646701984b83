#pragma once

#include <string>

#include "compiler/mapping/by_id.h"
#include "compiler/mapping/geometry.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

/// Predicted cost of a mapping whose tiles are chosen. Contract of every cost model: one call, no memory of others.
struct Cost {
  double cycles = 0;         ///< of the busiest unit, plus what cannot overlap
  double least = 0;          ///< what more copies of the tiles could bring that down to; 0: not known
  ById<double> unit_cycles;  ///< occupation per unit; of multicasts a part of divided work bears its share
  double link_cycles = 0;    ///< occupation of the busiest link, DRAM or memory whose reads and writes share ports
  double instructions = 0;   ///< in the program, about: loops' bodies a few times
  std::string error;         ///< why the mapping is illegal; empty: legal
};

/// Counts instructions and moved bytes per unit. The busiest unit hides the others (double buffering); the first tile's
/// loads and the last one's stores are added.
Cost predict(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping);

}  // namespace accord
