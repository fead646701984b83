#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// As `units`: whatever is alike may share the work.
constexpr std::int64_t all_units = std::numeric_limits<std::int64_t>::max();

/// What the least cycles of instructions count: their intervals on the unit, or the controller's time to issue them,
/// too.
enum class Counts { intervals, issue };

/// Least cycles that a step's instructions take over these extents, whatever the tiling. Intervals are divided over up
/// to `units` that are alike (see Elements); one controller issues to all.
std::int64_t step_bound(const Machine& machine, const StatementPlan& step, const std::vector<std::int64_t>& extents,
                        std::int64_t units = 1, Counts counts = Counts::issue);

/// Times its instructions: a mapping takes longer for its bytes.
constexpr double waiting = 1.1;

/// Of a layer's main capability, where every turn of its loops stands in the program: some GB of the compiler's memory.
constexpr std::int64_t most_instructions_of_layer = 1 << 22;

/// Instructions of the main capability, each with its dims as full as they get.
std::int64_t main_instructions(const Machine& machine, const Mapping& mapping);

/// Least cycles that the main capability's instructions of this assignment take, whatever the tiling.
std::int64_t main_bound(const Machine& machine, const Mapping& mapping, std::int64_t units = 1,
                        Counts counts = Counts::issue);

/// Least cycles that the busiest unit of this assignment takes for the instructions of its steps, whatever the tiling.
std::int64_t compute_bound(const Machine& machine, const Mapping& mapping, std::int64_t units = 1,
                           Counts counts = Counts::issue);

/// Cycles from the first instruction's issue to the last one's at least, of all of the assignment's.
std::int64_t issue_bound(const Machine& machine, const Mapping& mapping);

/// Most points of a sum in a cycle: of the capability that does most, its dims full, on all units that are alike.
double most_summed(const Machine& machine);

/// At least so many values does the index take over these extents: an iterator that steps over all others multiplies,
/// one that overlaps them (a window) adds.
std::int64_t least_values(const AffineIndex& index, const std::vector<std::int64_t>& extents);

}  // namespace accord
