// Products must round before they are added.
#ifndef __clang__
#pragma GCC optimize("fp-contract=off", "no-trapping-math")
#endif

#include "archdsl/tensor/lane_includes.h"

#define ACCORD_LANES lanes_baseline
#define ACCORD_VECTOR_BYTES 16
#include "archdsl/tensor/lane_variant.h"
