#pragma once

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"

namespace accord {

/// Operations that the mapping will have, about.
double expected_operations(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping);

/// Cycles of a layer's mapping as its operations are scheduled: lowered without images, put in order by predicted
/// times. `operations` receives their number. Infinite where it cannot be lowered.
double scheduled_cycles(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
                        const Mapping& mapping, std::size_t& operations);

/// Orders a layer's mappings by their scheduled cycles and tries tilings near the best, as far as that costs little:
/// the schedule knows of waits that the sums of a cost model do not see. Mappings of many operations stay as they are.
/// What was scheduled has those cycles predicted.
void refine(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
            std::vector<SearchResult::Found>& mappings);

}  // namespace accord
