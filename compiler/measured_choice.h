#pragma once

#include <vector>

#include "compiler/compilation.h"

namespace accord {

/// What making a program and running it takes, in operations: the program itself, each of its own, and requests, which
/// no one counts but which come at about so many cycles each.
inline double measuring_effort(double operations, double cycles) { return 250 + operations + cycles / 16; }

constexpr double most_measuring_effort = 8000;  ///< of all that is measured for one decision

/// A mapping whose operations were scheduled.
struct ScheduledMapping {
  SearchResult::Found found;
  double operations = 0;
};

/// Puts the quickest, on the machine (CompileOptions::measure), of the mappings that are predicted about as quick as
/// the first of `mappings` before that one; where their predictions fall short by far, of all that are predicted to be
/// quicker than that. Of those that take as long but for a fifth of a percent, the one that moves fewest bytes off
/// chip: predictions would not tell. Only where the first, and so those, are short. `scheduled`: those to choose from.
void measure_best(const Compilation& compilation, const LayerPlan& layer, std::vector<ScheduledMapping> scheduled,
                  std::vector<SearchResult::Found>& mappings);

}  // namespace accord
