#include "compiler/frontends/limits.h"

#include <fmt/format.h>

#include "archdsl/source/error.h"

namespace accord {

void check_shape(const Shape& shape, std::int64_t most) {
  std::int64_t count = 1;
  for (const auto extent : shape) {
    if (extent < 0) throw Error(fmt::format("dimension {} of shape [{}]", extent, fmt::join(shape, ",")));
    if (extent > most || (extent > 0 && count > most / extent)) {
      throw Error(
          fmt::format("a tensor of shape [{}] is too large (more than {} elements)", fmt::join(shape, ","), most));
    }
    count *= extent;
  }
}

}  // namespace accord
