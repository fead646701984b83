#pragma once

#include "archdsl/graph/architecture.h"

namespace accord {

/// int8 with a float scale per channel, as Gemmini's.
inline Numerics float_scale_machine(bool per_channel = true) {
  Numerics numerics;
  numerics.requantise = "i8(clamp(round(fp32(x) * scale), lo, hi))";
  numerics.parameters = {{"scale", ElementType::fp32, per_channel}};
  return numerics;
}

/// int8 with a multiplier and a shift in wide integer arithmetic.
inline Numerics mult_shift_machine() {
  Numerics numerics;
  numerics.requantise = "i8(clamp((i64(x) * i64(mult) + (i64(1) << (i64(shift) - 1))) >> i64(shift), lo, hi))";
  numerics.parameters = {{"mult", ElementType::i32, true}, {"shift", ElementType::i32, true}};
  return numerics;
}

inline Numerics bf16_machine() {
  Numerics numerics;
  numerics.integer = false;
  numerics.storage = numerics.weight = ElementType::bf16;
  numerics.accumulator = ElementType::fp32;
  numerics.requantise = "bf16(clamp(x, lo, hi))";
  return numerics;
}

}  // namespace accord
