#pragma once

#include "compiler/compilation.h"
#include "compiler/fusion/partition.h"

namespace accord {

/// Of the layer's mappings the one that chains are compared with: predictions are held against predictions, so it is
/// the one predicted quickest, whichever was measured to be.
std::size_t predicted_best(const LayerPlan& layer);

/// What the choice of chains rests on, from layers that are mapped. Refers to the compilation.
FusionProblem fusion_problem(const Compilation& compilation);

}  // namespace accord
