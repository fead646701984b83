#pragma once

#include "compiler/compilation.h"
#include "compiler/mapping/split.h"
#include "compiler/measured_choice.h"

namespace accord {

/// Orders a layer's mappings by their scheduled cycles and tries tilings near the best, as far as that costs little:
/// the schedule knows of waits that the sums of a cost model do not see. Where even the first is too long to schedule
/// they stay as they are. What was scheduled has those cycles predicted. False where the budget ended it: with another
/// it might go on. Adds to `scheduled` what it looked at.
bool refine(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer,
            std::vector<SearchResult::Found>& mappings, std::vector<ScheduledMapping>& scheduled);

}  // namespace accord
