#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Where values can get on chip: routes keep their type, capabilities read them and write another. What went off chip
/// again would pass its wires once more and is not followed.
class Spread {
 public:
  explicit Spread(const Architecture& architecture);

  /// Memories from which values of a type can come into another memory as another type, that one itself among them
  /// where the types are the same; ascending.
  std::vector<int> sources(ElementType type, int to, ElementType as) const;

  /// The same where a constant's image may have any type.
  std::vector<int> sources_in_any_type(int to, ElementType as) const;

  /// Memories into which such values can get.
  std::vector<int> targets(int from, ElementType type, ElementType as) const;

 private:
  using State = std::size_t;  ///< a memory and a type
  using Steps = std::vector<std::vector<State>>;

  void add_routes(const Unit& unit);
  void add_capability(const Capability& capability);
  void add(State from, State to);
  static std::set<State> all(const Steps& steps, State start);

  const Architecture& architecture_;
  Steps next_, before_;  ///< by state
};

}  // namespace accord
