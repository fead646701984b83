#include "compiler/network/common_factors.h"

#include <algorithm>

namespace accord {

std::optional<std::vector<std::int64_t>> common_factors(const Shape& a, const Shape& b) {
  if (element_count(a) == 0) return std::nullopt;
  std::vector<std::int64_t> cuts;  // of both, as products from the right
  for (const Shape* shape : {&a, &b}) {
    std::int64_t product = 1;
    for (auto it = shape->rbegin(); it != shape->rend(); ++it) cuts.push_back(product *= *it);
  }
  std::ranges::sort(cuts);
  std::vector<std::int64_t> factors;
  std::int64_t last = 1;
  for (const auto cut : cuts) {
    if (cut == last) continue;
    if (cut % last != 0) return std::nullopt;
    factors.insert(factors.begin(), cut / last);
    last = cut;
  }
  return factors;
}

}  // namespace accord
