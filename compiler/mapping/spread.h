#pragma once

#include <cstddef>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Where values can get on chip: routes keep their type, capabilities read them and write another. What went off chip
/// again would pass its wires once more and is not followed. Answers are kept by where values start.
class Spread {
 public:
  explicit Spread(const Architecture& architecture);

  /// Whether values of a type in a memory can become ones of another type in another memory.
  bool reaches(int from, ElementType type, int to, ElementType as) const;

  /// The same where a constant's image may have any type.
  bool reaches_in_any_type(int from, int to, ElementType as) const;

 private:
  using State = std::size_t;  ///< a memory and a type

  void add_routes(const Unit& unit);
  void add_capability(const Capability& capability);
  const std::vector<bool>& from(State state) const;

  const Architecture& architecture_;
  std::vector<std::vector<State>> next_;          ///< by state
  mutable std::vector<std::vector<bool>> known_;  ///< by state where values start; empty: not asked for yet
};

}  // namespace accord
