#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "archdsl/graph/component_graph.h"
#include "compiler/mapping/limits.h"

namespace accord {

/// A transfer, and one of the memories that it reaches.
struct Way {
  Hop hop;
  int memory = -1;
};

/// The memories that the route's transfers reach.
std::set<int> targets_of(const Route& route);

/// Whether the transfer reaches other memories besides.
bool is_multicast(const Architecture& architecture, const Hop& hop);

/// Transfers that bring the same bytes to several memories at once, and which of several elements' transfers one of
/// them can stand for.
class Multicasts {
 public:
  /// That one transfer stands for: operations touch at most so many buffers.
  static constexpr std::size_t most_ways = 16;

  Multicasts(const Architecture& architecture, const Limits& limits);

  bool empty() const { return casts_.empty(); }

  /// How many memories they reach.
  std::set<std::size_t> target_counts() const;

  /// A transfer that stands for those of `users`, indices into the ways that were given.
  struct Group {
    Hop hop;
    std::vector<std::size_t> users;
  };

  /// Transfers that together do what these do with the same arguments, ways into one memory being one: the multicast
  /// that serves most of those left comes first, what none serves stays by itself. What one brings besides lies in
  /// memories that are not `taken`. Nothing where a way is a multicast's and each of those would write another memory
  /// that is.
  std::optional<std::vector<Group>> cover(std::span<const Way> ways, const std::set<int>& taken) const;

 private:
  struct Cast {
    Hop hop;
    std::set<int> targets;
  };

  bool fits(const Cast& cast, std::span<const Way> ways, const std::vector<std::size_t>& users,
            const std::set<int>& taken) const;

  const Architecture& architecture_;
  std::vector<Cast> casts_;
  /// By unit, route and memory: multicasts that can stand for such a way, ascending.
  std::map<std::tuple<int, int, int>, std::vector<std::size_t>> replacing_;
};

}  // namespace accord
