#include "cli/numeric.h"

#include <utility>

#include "compiler/numerics/convert_float.h"
#include "compiler/numerics/quantise.h"
#include "compiler/numerics/scalar_sums.h"

namespace accord {

Network to_numeric(const Architecture& architecture, Network canonical, const Values& inputs) {
  if (!architecture.numerics.integer) return convert_float(std::move(canonical), architecture.numerics);
  return quantise(std::move(canonical), architecture.numerics, {inputs}, nullptr, sums_take_scalars(architecture));
}

}  // namespace accord
