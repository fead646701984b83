#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/mapping/candidates.h"

namespace accord {

/// An operand, or all that are one tensor, that comes from off-chip memory or goes there, on whichever elements that
/// are alike.
struct Passage {
  std::int64_t bytes = 0;     ///< distinct ones; of a constant with what pads it
  std::vector<bool> units;    ///< that read or write it off chip themselves
  std::vector<bool> sources;  ///< memories from which it can come to where it is read: it may be brought there
  std::vector<bool> targets;  ///< memories into which it can come from where it is written: it may leave there
  bool leaves = false;        ///< from memories on chip

  /// What another operand asks of the same tensor: its bytes may come once for both.
  void join(const Passage& other) {
    const auto both = [](std::vector<bool>& to, const std::vector<bool>& from) {
      for (std::size_t i = 0; i < from.size(); ++i) to[i] = to[i] || from[i];
    };
    bytes = std::max(bytes, other.bytes);
    both(units, other.units);
    both(sources, other.sources);
    both(targets, other.targets);
    leaves = leaves || other.leaves;
  }

  bool comes_from(const std::vector<int>& memories) const { return any(sources, memories); }
  bool gets_to(const std::vector<int>& memories) const { return any(targets, memories); }

 private:
  static bool any(const std::vector<bool>& of, const std::vector<int>& memories) {
    return std::ranges::any_of(memories, [&](int memory) { return of[memory]; });
  }
};

/// Finds what passes between off-chip and on-chip memory, for the bounds of all that it passes over.
class PassageFinder {
 public:
  PassageFinder(const Machine& machine, const Network& network, const Work& work);

  std::vector<Passage> of(const Mapping& assignment) const;

  bool off_chip(int memory) const { return memory >= 0 && machine_.architecture.memories[memory].off_chip; }

 private:
  std::int64_t bytes_of(int operand) const;
  std::int64_t padded_bytes(const Mapping& assignment, const Use& use) const;
  void add_site(Passage& passage, const Use& use, const Site& site, std::size_t number) const;

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
