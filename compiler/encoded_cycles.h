#pragma once

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"

namespace accord {

/// Whether the instruction set can express the layer's mapping, its tensors lying with the margins that it needs.
bool encodes(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping);

/// The fewest predicted cycles of the layer's mappings that the instruction set can express, infinite where there are
/// none: for choices from which there is no way back later. Searches the layer if nothing did.
double encoded_cycles(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer);

}  // namespace accord
