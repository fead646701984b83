#pragma once

namespace accord {

/// For intermediate results of 64-bit arithmetic.
__extension__ using Int128 = __int128;

}  // namespace accord
