#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "compiler/mapping/limits.h"
#include "compiler/mapping/plan.h"

namespace accord {

/// Where on the machine a mapping runs: the unit and capability of each step, the memory of each use and the way there.
struct Site {
  struct Place {
    int memory = -1;
    std::vector<Hop> hops;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<std::pair<int, int>> steps;
  std::vector<Place> uses;
  auto operator<=>(const Site&) const = default;
};

/// Where the mapping itself runs.
Site site_of(const Mapping& mapping);

/// The same mapping elsewhere.
Mapping moved_to(const Site& site, const Mapping& mapping);

/// What `hop_at` and `memory_at` (plan.h) say of the use, at its place on a site.
const Hop& hop_at(const Use& use, const Site::Place& place, int level);
int memory_at(const Architecture& architecture, const Use& use, const Site::Place& place, int level);

/// What of a machine is alike: capabilities, routes and memories that differ only in where they stand, so that work
/// planned for one runs on another in the same time. Elements of an array are alike, and so are equal units that the
/// covenant declares one by one.
class Elements {
 public:
  Elements(const Architecture& architecture, const Limits& limits);

  /// Units with a capability like this one, the unit itself among them, ascending.
  std::vector<std::pair<int, int>> alike(int unit, int capability) const;

  /// Capabilities of the unit with which sums of this one may begin (opening.h); alike in units that are.
  const std::vector<int>& openings(int unit, int capability) const { return openings_[unit][capability]; }

  /// Whether the memories differ in nothing but where they stand.
  bool are_alike(int memory, int other) const { return memory_class_[memory] == memory_class_[other]; }

  /// Routes like this one between the same two memories, itself among them, ascending; a multicast alone.
  std::vector<Hop> parallel(const Hop& hop) const;

  /// Where the mapping runs, then where else it could: on other elements, with units, hops and memories in the same
  /// places. No two use the same unit for the main statement; other units and on-chip memories are shared only where no
  /// free one is left, and memories only by tiles of the same uses (SiteTiles). A multicast is a way to each of its
  /// targets. Kept for all mappings that run at the same site; valid as long as this is.
  const std::vector<Site>& sites(const Mapping& mapping) const;

 private:
  class Carrier;

  /// A capability, or a route to one of the memories that it reaches.
  struct Member {
    int unit = -1;
    int index = -1;
    int target = -1;  ///< of a route
    auto operator<=>(const Member&) const = default;
  };
  using Members = std::vector<Member>;  ///< ascending

  const Architecture& architecture_;
  std::vector<std::vector<std::vector<int>>> openings_;  ///< by unit and capability
  std::vector<std::vector<int>> capability_class_;       ///< by unit and capability; -1: no instruction
  std::vector<std::vector<int>> route_class_;            ///< by unit and route; -1: no instruction
  std::vector<int> memory_class_;
  std::vector<Members> capabilities_, routes_;                   ///< by class
  std::vector<Members> capabilities_at_, routes_at_;             ///< by memory on chip: those that reach it
  mutable std::mutex asked_;                                     ///< guards `known_`
  mutable std::map<std::vector<int>, std::vector<Site>> known_;  ///< by site and homes of the uses
};

}  // namespace accord
