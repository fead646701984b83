#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "archdsl/graph/component_graph.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// Transfers that bring the same bytes to several memories at once, and which of several elements' transfers one of
/// them can stand for. None on machines that keep program order: lists of several elements are not woven there.
class Multicasts {
 public:
  /// Those to more memories are left alone: operations touch at most so many buffers.
  static constexpr std::size_t most_targets = 16;

  Multicasts(const Architecture& architecture, const Limits& limits);

  bool empty() const { return casts_.empty(); }

  /// A transfer that stands for those of `users`, indices into the hops that were given.
  struct Group {
    Hop hop;
    std::vector<std::size_t> users;
  };

  /// Transfers that together do what these hops do with the same arguments, each to a memory of its own: the multicast
  /// that serves most of those left comes first, what none serves stays by itself.
  std::vector<Group> cover(std::span<const Hop> hops) const;

 private:
  struct Cast {
    Hop hop;
    std::size_t targets = 0;
  };

  /// The users that each multicast serves, by its number; none where it would write to a memory of which nobody is
  /// among them, or to that of several.
  std::map<std::size_t, std::vector<std::size_t>> served(std::span<const Hop> hops) const;

  std::vector<Cast> casts_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> replacing_;  ///< by unit and route: multicasts that can stand
                                                                       ///< for their transfers, ascending
};

}  // namespace accord
