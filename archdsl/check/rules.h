#pragma once

#include "archdsl/check/elaborate.h"

namespace accord {

/// Checks what no single entry of the covenant can see by itself. Rules about parts that already have mistakes are left out.
void check_rules(Elaboration& elaboration);

}  // namespace accord
