#pragma once

#include "compiler/lowering/address_ranges.h"

namespace accord {

/// Narrows each operation's accesses to the parts of the buffers that its addresses lie in. Lists with loops, whose
/// addresses move, keep whole buffers, and so do those without a transfer that was cut: tiles come quickly there, and
/// a machine of few entries is better served tile by tile.
void narrow_accesses(OpList& list, const Architecture& architecture);

}  // namespace accord
