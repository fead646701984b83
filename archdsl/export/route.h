#pragma once

#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// The links that a route's bytes pass, in order; none: a private wire.
inline const std::vector<int>& links_of(const Route& route) { return route.links; }

}  // namespace accord
