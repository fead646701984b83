// Only optimised GCC builds: see lane_includes.h on inline functions; sanitizers do not gain from it.
#include "archdsl/tensor/lane_variants.h"
#ifdef ACCORD_LANE_VARIANTS
// Products must round before they are added.
#ifndef __clang__
#pragma GCC optimize("fp-contract=off", "no-trapping-math")
#endif

#include "archdsl/tensor/lane_includes.h"

#pragma GCC target("avx2")
#define ACCORD_LANES lanes_avx2
#define ACCORD_VECTOR_BYTES 32
#include "archdsl/tensor/lane_variant.h"
#endif
