#pragma once

#include <vector>

#include "compiler/compilation.h"
#include "compiler/layer_search.h"

namespace accord {

/// Looks for assignments of the layer's work, and of other forms of it that come to the same; on the host where none
/// has any.
void place(const Compilation& compilation, LayerPlan& layer);

/// The layers that take the place of one that is placed: where the machine cannot do it in one go, or where a quicker
/// unit then does its products, by predictions: bounds do not know what ports and tiles leave of either unit. None: it
/// stays whole; `reason` then receives why the host has it.
std::vector<LayerPlan> parts_of_layer(Compilation& compilation, SharedMachines& shared, LayerPlan& layer);

}  // namespace accord
