#pragma once

#include <cstdint>

#include "archdsl/tensor/value.h"

namespace accord {

/// How far `value` is from `reference`, both of any type and of the same shape.
struct Comparison {
  double signal_to_noise_db = 0;  ///< 10 log10(sum ref^2 / sum (ref - x)^2); infinite where all are equal
  double relative_max_error = 0;  ///< max |ref - x| / max |ref|
  std::int64_t mismatches = 0;    ///< elements that differ at all (NaN equals NaN)
  std::int64_t first_mismatch = -1;
  std::int64_t not_finite = 0;  ///< elements that are infinite or no number where the reference's are finite
};

/// Throws Error when the shapes differ.
Comparison compare(const Value& reference, const Value& value);

}  // namespace accord
