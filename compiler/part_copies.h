#pragma once

#include "compiler/compilation.h"

namespace accord {

/// Parts of a Concat that cannot lie in the whole (inputs and outputs of the network, constants, what is part of a
/// Concat already) become layers of their own before it, which copy them there: operators Identity, results NAME/part.
/// The other parts are then written right into the whole. Before assignments are looked for.
void copy_parts(Compilation& compilation);

}  // namespace accord
