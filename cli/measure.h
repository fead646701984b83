#pragma once

#include <cstdint>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord {

/// Cycles that the program takes on the simulated machine, as far as they do not depend on values: the measure by which
/// `accord` compiles (CompileOptions::measure).
std::int64_t measure_cycles(const Architecture& architecture, const Program& program);

}  // namespace accord
