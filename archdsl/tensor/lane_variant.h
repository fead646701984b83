// No include guard: the loops for the instruction set chosen by ACCORD_LANES and ACCORD_VECTOR_BYTES.

// clang-format off
#include "archdsl/tensor/lane_elements.h"
#include "archdsl/tensor/lane_operators.h"
#include "archdsl/tensor/lane_loops.h"
#include "archdsl/tensor/lane_casts.h"
#include "archdsl/tensor/multiply_accumulate_packing.h"
#include "archdsl/tensor/multiply_accumulate_loops.h"
#include "archdsl/tensor/lane_registry.h"
// clang-format on
