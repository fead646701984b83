#pragma once

#include "archdsl/check/elaborate.h"

namespace accord {

/// Checks what no single entry of the covenant can see by itself. Rules about sections that already have mistakes are
/// left out.
void check_rules(Elaboration& elaboration);

// rules_components.cpp
void check_capacities(Elaboration& elaboration);
void check_off_chip(Elaboration& elaboration);
void check_feeds(Elaboration& elaboration);
void check_semaphore_count(Elaboration& elaboration);
// rules_numerics.cpp
void check_accumulator(Elaboration& elaboration);
// rules_results.cpp
void check_results(Elaboration& elaboration);
// rules_timing.cpp
void check_timing(Elaboration& elaboration);
// rules_unused.cpp
void check_unused(Elaboration& elaboration);
void check_templates_used(Elaboration& elaboration);
// rules_widths.cpp
void check_widths(Elaboration& elaboration);
// rules_links.cpp
void check_links(Elaboration& elaboration);
void check_arbitration(Elaboration& elaboration);
// rules_clocks.cpp
void check_clocks(Elaboration& elaboration);
// rules_reach.cpp
void check_reach(Elaboration& elaboration);
// rules_isa.cpp
void check_opcodes(Elaboration& elaboration);
void check_coverage(Elaboration& elaboration);
void check_fence(Elaboration& elaboration);
void check_semaphores(Elaboration& elaboration);
void check_loops(Elaboration& elaboration);
// rules_bindings.cpp
void check_bindings(Elaboration& elaboration);

}  // namespace accord
