#include "compiler/mapping/multicast.h"

#include <algorithm>
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
      other.target_unit % one.target_unit != 0 || other.run_unit % one.run_unit != 0) {
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

const Route& route_of(const Architecture& architecture, const Hop& hop) {
  return architecture.units[hop.unit].routes[hop.route];
}

/// Whether one transfer does what another does, and more.
bool replaces(const Limits& limits, const Architecture& architecture, const Hop& cast, const Hop& hop) {
  const RouteLimits* const instruction = limits.route(hop.unit, hop.route);
  const Route& one = route_of(architecture, cast);
  const Route& other = route_of(architecture, hop);
  return instruction != nullptr && one.source == other.source && transfer_arguments(one) == transfer_arguments(other) &&
         takes(*limits.route(cast.unit, cast.route), *instruction);
}

}  // namespace

std::set<int> targets_of(const Route& route) {
  std::set<int> targets(route.also.begin(), route.also.end());
  targets.insert(route.target);
  return targets;
}

bool is_multicast(const Architecture& architecture, const Hop& hop) {
  return !route_of(architecture, hop).also.empty();
}

Multicasts::Multicasts(const Architecture& architecture, const Limits& limits) : architecture_(architecture) {
  std::map<int, std::vector<Hop>> into;  // by memory
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const auto& routes = architecture.units[u].routes;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const Hop hop = {static_cast<int>(u), static_cast<int>(r)};
      if (limits.route(hop.unit, hop.route) == nullptr) continue;
      for (const int target : targets_of(routes[r])) into[target].push_back(hop);
      if (!routes[r].also.empty()) casts_.push_back({hop, targets_of(routes[r])});
    }
  }
  for (std::size_t c = 0; c < casts_.size(); ++c) {
    for (const int target : casts_[c].targets) {
      for (const Hop& hop : into[target]) {
        if (replaces(limits, architecture, casts_[c].hop, hop)) replacing_[{hop.unit, hop.route, target}].push_back(c);
      }
    }
  }
}

bool Multicasts::fits(const Cast& cast, std::span<const Way> ways, const std::vector<std::size_t>& users,
                      const std::set<int>& taken) const {
  if (users.size() > most_ways) return false;
  if (users.size() == 1 && cast.targets.size() > 1 && !is_multicast(architecture_, ways[users.front()].hop))
    return false;
  std::set<int> wanted;
  for (const std::size_t user : users) wanted.insert(ways[user].memory);
  return std::ranges::none_of(cast.targets, [&](int m) { return taken.contains(m) && !wanted.contains(m); });
}

std::set<std::size_t> Multicasts::target_counts() const {
  std::set<std::size_t> counts;
  for (const Cast& cast : casts_) counts.insert(cast.targets.size());
  return counts;
}

std::optional<std::vector<Multicasts::Group>> Multicasts::cover(std::span<const Way> ways,
                                                                const std::set<int>& taken) const {
  std::map<int, std::vector<std::size_t>> into;  // by memory
  for (std::size_t w = 0; w < ways.size(); ++w) into[ways[w].memory].push_back(w);
  std::map<std::size_t, std::vector<std::size_t>> served;  // by multicast: the first way into each of its memories
  for (const auto& [memory, users] : into) {
    const Way& way = ways[users.front()];
    const auto casts = replacing_.find({way.hop.unit, way.hop.route, memory});
    if (casts == replacing_.end()) continue;
    for (const std::size_t cast : casts->second) served[cast].push_back(users.front());
  }
  std::erase_if(served, [&](const auto& entry) { return !fits(casts_[entry.first], ways, entry.second, taken); });
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> possible(served.begin(), served.end());
  std::ranges::stable_sort(possible, [&](const auto& a, const auto& b) {
    if (a.second.size() != b.second.size()) return a.second.size() > b.second.size();
    return casts_[a.first].targets.size() < casts_[b.first].targets.size();
  });
  std::vector<Group> groups;
  std::vector<bool> done(ways.size(), false);
  const auto serve = [&](const Hop& hop, const std::vector<std::size_t>& firsts) {
    Group& group = groups.emplace_back(hop);
    for (const std::size_t first : firsts) {
      for (const std::size_t user : into[ways[first].memory]) {
        done[user] = true;
        group.users.push_back(user);
      }
    }
    std::ranges::sort(group.users);
  };
  for (const auto& [cast, firsts] : possible) {
    if (std::ranges::none_of(firsts, [&](std::size_t first) { return done[first]; })) serve(casts_[cast].hop, firsts);
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    if (done[w]) continue;
    if (is_multicast(architecture_, ways[w].hop)) return std::nullopt;
    serve(ways[w].hop, {w});
  }
  return groups;
}

}  // namespace accord
