#pragma once

#include <optional>

#include "compiler/compilation.h"

namespace accord {

/// Whether measuring the layers' program takes little beside compiling it, and there is who measures.
bool may_measure_program(const Compilation& compilation);

/// Cycles on the machine (CompileOptions::measure) of the program that the layers give as they stand, before `plan`;
/// nothing where no instructions say what a layer would have to.
std::optional<double> measured_program(const Compilation& compilation);

}  // namespace accord
