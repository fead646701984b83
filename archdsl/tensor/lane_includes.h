#pragma once

// Everything the loops of lane_*.h use, included before an instruction set is chosen: inline functions of these headers
// must not be compiled for it, since the linker may keep any copy.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/float_format.h"
#include "archdsl/tensor/lane_table.h"
