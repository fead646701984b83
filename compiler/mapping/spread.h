#pragma once

#include <map>
#include <set>
#include <utility>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Where values can get on chip: routes keep their type, capabilities read them and write another. What went off chip
/// again would pass its wires once more and is not followed.
class Spread {
 public:
  explicit Spread(const Architecture& architecture) : architecture_(architecture) {}

  /// Whether values of a type in a memory can become ones of another type in another memory.
  bool reaches(int from, ElementType type, int to, ElementType as) const;

  /// The same where a constant's image may have any type.
  bool reaches_in_any_type(int from, int to, ElementType as) const;

 private:
  using State = std::pair<int, ElementType>;

  const std::set<State>& from(State state) const;
  void follow(State state, std::set<State>& seen) const;
  void follow(const Capability& capability, State state, std::set<State>& seen) const;

  const Architecture& architecture_;
  mutable std::map<State, std::set<State>> known_;
};

}  // namespace accord
