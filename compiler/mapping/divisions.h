#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// Loops over results that are cut into parts, outermost first.
using Division = std::vector<SpatialLoop>;

struct Divisions {
  std::vector<Division> all;
  std::optional<Hop> obstacle;  ///< where there are none: a multicast that would bring some part what another wants
};

/// All divisions of a mapping over at most so many elements, each with elements for its parts.
Divisions divisions(const Machine& machine, const Work& work, const Mapping& mapping, std::int64_t elements);

/// The same division on other elements where there are more than parts: spread evenly over all (a column of a mesh
/// instead of a row), or as far apart as multicasts' targets are many (a square instead of a row and what is left).
std::vector<Division> on_other_elements(const Machine& machine, const Mapping& mapping, const Division& division,
                                        std::int64_t elements);

/// Why the mapping's work is not divided although there are units like its main one; empty: it is, could be, or there
/// are none.
std::string why_alone(const Machine& machine, const Work& work, const Mapping& mapping);

}  // namespace accord
