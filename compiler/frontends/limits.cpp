#include "compiler/frontends/limits.h"

#include <fmt/format.h>

#include "archdsl/source/error.h"

namespace accord {

void check_shape(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto extent : shape) {
    if (extent < 0) throw Error(fmt::format("dimension {} of shape [{}]", extent, fmt::join(shape, ",")));
    if (extent > max_elements || (extent > 0 && count > max_elements / extent)) {
      throw Error(fmt::format("a tensor of shape [{}] is too large (more than {} elements)", fmt::join(shape, ","),
                              max_elements));
    }
    count *= extent;
  }
}

}  // namespace accord
