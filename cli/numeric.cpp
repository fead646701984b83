#include "cli/numeric.h"

#include "compiler/numerics/convert_float.h"
#include "compiler/numerics/quantise.h"

namespace accord {

Network to_numeric(const Architecture& architecture, const Network& canonical, const Values& inputs) {
  if (!architecture.numerics.integer) return convert_float(canonical, architecture.numerics);
  return quantise(canonical, architecture.numerics, {inputs});
}

}  // namespace accord
