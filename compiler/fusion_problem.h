#pragma once

#include "compiler/compilation.h"
#include "compiler/fusion/partition.h"

namespace accord {

/// What the choice of chains rests on, from layers that are mapped. Refers to the compilation.
FusionProblem fusion_problem(const Compilation& compilation);

}  // namespace accord
