#include "compiler/mapping/multicast.h"

#include <algorithm>
#include <functional>
#include <map>

namespace accord {
namespace {

bool same(const Step& a, const Step& b) {
  return a.kind == b.kind && (a.kind == Step::Kind::free || a.bytes == b.bytes);
}

/// Whether one instruction takes the arguments of another.
bool takes(const RouteLimits& one, const RouteLimits& other) {
  if (one.walk.size() != other.walk.size() || other.source_unit % one.source_unit != 0 ||
      other.target_unit % one.target_unit != 0) {
    return false;
  }
  for (std::size_t d = 0; d < one.walk.size(); ++d) {
    if (one.walk[d].max < other.walk[d].max || !same(one.walk[d].source, other.walk[d].source) ||
        !same(one.walk[d].target, other.walk[d].target)) {
      return false;
    }
  }
  return true;
}

/// Whether one transfer does what another does, and more.
bool replaces(const Limits& limits, const Architecture& architecture, const Hop& cast, const Hop& hop) {
  const RouteLimits* const instruction = limits.route(hop.unit, hop.route);
  const Route& one = architecture.units[cast.unit].routes[cast.route];
  const Route& other = architecture.units[hop.unit].routes[hop.route];
  return instruction != nullptr && other.also.empty() && one.source == other.source &&
         transfer_arguments(one) == transfer_arguments(other) &&
         takes(*limits.route(cast.unit, cast.route), *instruction);
}

}  // namespace

Multicasts::Multicasts(const Architecture& architecture, const Limits& limits) {
  if (architecture.sync.kind == Sync::Kind::in_order) return;
  std::map<int, std::vector<Hop>> into;  // by memory
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const auto& routes = architecture.units[u].routes;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const Hop hop = {static_cast<int>(u), static_cast<int>(r)};
      into[routes[r].target].push_back(hop);
      if (routes[r].also.empty() || routes[r].also.size() >= most_targets) continue;
      if (limits.route(hop.unit, hop.route) == nullptr) continue;
      casts_.push_back({hop, routes[r].also.size() + 1, {}});
    }
  }
  for (Cast& cast : casts_) {
    const Route& route = architecture.units[cast.hop.unit].routes[cast.hop.route];
    std::vector<int> targets = route.also;
    targets.push_back(route.target);
    for (const int target : targets) {
      for (const Hop& hop : into[target]) {
        if (replaces(limits, architecture, cast.hop, hop)) cast.replaced.insert({hop.unit, hop.route});
      }
    }
  }
}

std::vector<std::size_t> Multicasts::served(const Cast& cast, std::span<const Hop> hops) {
  std::vector<std::size_t> users;
  for (std::size_t h = 0; h < hops.size(); ++h) {
    if (!cast.replaced.contains({hops[h].unit, hops[h].route})) continue;
    // Of elements that share a memory each writes to a place of its own.
    const bool again = std::ranges::any_of(users, [&](std::size_t user) { return hops[user] == hops[h]; });
    if (again) return {};
    users.push_back(h);
  }
  if (users.size() != cast.targets) users.clear();
  return users;
}

std::vector<Multicasts::Group> Multicasts::cover(std::span<const Hop> hops) const {
  std::vector<Group> possible;
  for (const Cast& cast : casts_) {
    if (auto users = served(cast, hops); !users.empty()) possible.push_back({cast.hop, std::move(users)});
  }
  std::ranges::stable_sort(possible, std::greater(), [](const Group& group) { return group.users.size(); });
  std::vector<Group> groups;
  std::vector<bool> done(hops.size(), false);
  for (Group& group : possible) {
    if (std::ranges::any_of(group.users, [&](std::size_t user) { return done[user]; })) continue;
    for (const std::size_t user : group.users) done[user] = true;
    groups.push_back(std::move(group));
  }
  for (std::size_t h = 0; h < hops.size(); ++h) {
    if (!done[h]) groups.push_back({hops[h], {h}});
  }
  return groups;
}

}  // namespace accord
