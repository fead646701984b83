#pragma once

#include <utility>
#include <vector>

#include "compiler/mapping/limits.h"
#include "compiler/mapping/plan.h"

namespace accord {

/// What of a machine is alike: capabilities, routes and memories that differ only in where they stand, so that work
/// planned for one runs on another in the same time. Elements of an array are alike, and so are equal units that the
/// covenant declares one by one.
class Elements {
 public:
  Elements(const Architecture& architecture, const Limits& limits);

  /// Units with a capability like this one, the unit itself among them, ascending.
  std::vector<std::pair<int, int>> alike(int unit, int capability) const;

  /// The mapping, then the same carried over to other elements: other units, hops and memories in the same places.
  /// No two use the same unit for the main statement; other units and on-chip memories are shared only where no free
  /// one is left. Only the mapping itself where its transfers reach several elements at once (multicast).
  std::vector<Mapping> images(const Mapping& mapping) const;

 private:
  class Carrier;

  const Architecture& architecture_;
  std::vector<std::vector<int>> capability_class_;  ///< by unit and capability; -1: no instruction
  std::vector<std::vector<int>> route_class_;       ///< by unit and route; -1: no instruction, or multicast
  std::vector<int> memory_class_;
  std::vector<std::vector<std::pair<int, int>>> capabilities_;  ///< by class: unit, capability
  std::vector<std::vector<std::pair<int, int>>> routes_;        ///< by class: unit, route
};

}  // namespace accord
