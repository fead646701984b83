#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "compiler/mapping/geometry.h"

namespace accord {

/// Bytes that the mapping's transfers move over each route, (unit, route); full and last tiles counted as they are,
/// each as often as the loops bring it in.
std::map<std::pair<int, int>, std::int64_t> traffic_of(Geometry& geometry, const Work& work, const Mapping& mapping);

}  // namespace accord
