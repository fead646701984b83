#include "compiler/mapping/multicast.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

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
      casts_.push_back({hop, routes[r].also.size() + 1});
    }
  }
  for (std::size_t c = 0; c < casts_.size(); ++c) {
    const Hop& cast = casts_[c].hop;
    const Route& route = architecture.units[cast.unit].routes[cast.route];
    std::set<int> targets(route.also.begin(), route.also.end());
    targets.insert(route.target);
    for (const int target : targets) {
      for (const Hop& hop : into[target]) {
        if (replaces(limits, architecture, cast, hop)) replacing_[{hop.unit, hop.route}].push_back(c);
      }
    }
  }
}

std::map<std::size_t, std::vector<std::size_t>> Multicasts::served(std::span<const Hop> hops) const {
  std::map<std::size_t, std::vector<std::size_t>> users;
  std::set<std::pair<int, int>> seen;
  std::set<std::size_t> unfit;  // of elements that share a memory each writes to a place of its own
  for (std::size_t h = 0; h < hops.size(); ++h) {
    const auto casts = replacing_.find({hops[h].unit, hops[h].route});
    if (casts == replacing_.end()) continue;
    const bool again = !seen.insert(casts->first).second;
    for (const std::size_t cast : casts->second) {
      users[cast].push_back(h);
      if (again) unfit.insert(cast);
    }
  }
  std::erase_if(users, [&](const auto& entry) {
    return entry.second.size() != casts_[entry.first].targets || unfit.contains(entry.first);
  });
  return users;
}

std::vector<Multicasts::Group> Multicasts::cover(std::span<const Hop> hops) const {
  std::vector<Group> possible;
  for (auto& [cast, users] : served(hops)) possible.push_back({casts_[cast].hop, users});
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
