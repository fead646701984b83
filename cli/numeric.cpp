#include "cli/numeric.h"

#include <utility>

#include "compiler/mapping/capable.h"
#include "compiler/numerics/added_sums.h"
#include "compiler/numerics/convert_float.h"
#include "compiler/numerics/quantise.h"

namespace accord {

Network to_numeric(const Architecture& architecture, Network canonical, const Values& inputs) {
  const AddedSums sums = added_sums(architecture);
  const auto capable = [&](const Network& numeric) { return is_capable(architecture, numeric); };
  if (!architecture.numerics.integer) return convert_float(std::move(canonical), architecture.numerics, sums, capable);
  return quantise(std::move(canonical), architecture.numerics, {inputs}, nullptr, sums, capable);
}

}  // namespace accord
