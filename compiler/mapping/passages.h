#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// An operand that comes from off-chip memory or goes there, at each of its places in an assignment.
struct Passage {
  struct Place {
    const Use* use = nullptr;
    int unit = -1;  ///< of the statement
  };
  std::int64_t bytes = 0;  ///< distinct ones; of a constant with what pads it
  std::vector<Place> places;
};

/// The passages of one assignment, and the assignment on all elements that are alike, to which they point.
struct Passages {
  std::vector<Mapping> images;
  std::vector<Passage> operands;
};

/// Finds what passes between off-chip and on-chip memory, for the bounds of all that it passes over.
class PassageFinder {
 public:
  PassageFinder(const Machine& machine, const Network& network, const Work& work);

  Passages of(const Mapping& assignment) const;

  bool off_chip(int memory) const { return memory >= 0 && machine_.architecture.memories[memory].off_chip; }

  /// Whether the operand can get to the use's memory from one of these, in a type in which it may lie off chip: the
  /// tensor's; a constant's image may have any.
  bool comes_from(const std::vector<int>& memories, const Use& use) const;

  /// Whether the result can get from the use's memory to one of these.
  bool reaches(const std::vector<int>& memories, const Use& use) const;

 private:
  std::int64_t bytes_of(int operand) const;
  std::int64_t padded_bytes(const Mapping& assignment, const Use& use) const;

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  mutable std::vector<std::int64_t> distinct_;  ///< by operand; -1: not asked for yet
};

/// Calls fn(demands) for every set of them that is not empty, each with pointers to its members.
template <typename Demand, typename Fn>
void for_each_set(const std::vector<Demand>& all, Fn&& fn) {
  constexpr std::size_t most = 12;  // more operands than any codelet has
  const std::size_t count = std::min(all.size(), most);
  std::vector<const Demand*> chosen;
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    chosen.clear();
    for (std::size_t d = 0; d < count; ++d) {
      if ((set >> d & 1) != 0) chosen.push_back(&all[d]);
    }
    fn(chosen);
  }
}

}  // namespace accord
