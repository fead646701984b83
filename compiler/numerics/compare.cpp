#include "compiler/numerics/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/network/network.h"

namespace accord {

Comparison compare(const Value& reference, const Value& value) {
  if (reference.shape != value.shape) throw Error("compare: shapes differ");
  Comparison result;
  double signal = 0, noise = 0, largest = 0, worst = 0;
  for (std::int64_t i = 0; i < element_count(reference.shape); ++i) {
    const double a = load_element(reference.data.data() + i * bytes(reference.type), reference.type);
    const double b = load_element(value.data.data() + i * bytes(value.type), value.type);
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (!std::isfinite(a)) continue;
      signal += a * a;
      largest = std::max(largest, std::abs(a));
      continue;
    }
    if (result.mismatches++ == 0) result.first_mismatch = i;
    if (std::isfinite(a) && !std::isfinite(b)) ++result.not_finite;
    const double difference = std::isfinite(a - b) ? a - b : std::numeric_limits<double>::infinity();
    noise += difference * difference;
    if (std::isfinite(a)) {
      signal += a * a;
      largest = std::max(largest, std::abs(a));
    }
    worst = std::max(worst, std::abs(difference));
  }
  result.signal_to_noise_db = noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  result.relative_max_error = worst == 0 ? 0 : worst / largest;
  return result;
}

}  // namespace accord
