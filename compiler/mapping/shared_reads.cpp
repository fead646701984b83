#include "compiler/mapping/shared_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <set>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// The parts that read the same, in groups: the first loop that divides the work is the outermost.
std::map<std::vector<std::int64_t>, std::vector<std::size_t>> readers(const Mapping& mapping, const Use& use) {
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t part = 0; part < part_count(mapping); ++part) {
    std::vector<std::int64_t> turn;
    auto left = static_cast<std::int64_t>(part);
    for (auto loop = mapping.spatial.rbegin(); loop != mapping.spatial.rend(); ++loop) {
      const std::int64_t all = turns(mapping, *loop), now = left % all;
      turn.push_back(tells_apart(use, *loop) ? now : 0);
      left /= all;
    }
    groups[turn].push_back(part);
  }
  return groups;
}

/// What all these transfers, made at the same time, leave each of them of its way: bytes per cycle of the one that gets
/// least. Requests of several meet at random; a mover's private wires are shared with it.
double least_rate(const Architecture& architecture, const std::vector<Hop>& transfers) {
  std::map<int, double> of_links, of_memories, of_movers;
  const auto route_of = [&](const Hop& hop) -> const Route& { return architecture.units[hop.unit].routes[hop.route]; };
  for (const Hop& hop : transfers) {
    for (const int link : route_of(hop).links) ++of_links[link];
    ++of_memories[route_of(hop).source];
    ++of_movers[hop.unit];
  }
  const auto share = [](double rate, double users) { return users > 1 ? rate * served / (users * asked) : rate; };
  double least = std::numeric_limits<double>::infinity();
  for (const Hop& hop : transfers) {
    const Route& route = route_of(hop);
    const Memory& source = architecture.memories[route.source];
    if (route.links.empty()) least = std::min(least, share(bytes_per_cycle(architecture, route), of_movers[hop.unit]));
    for (const int link : route.links)
      least = std::min(least, share(bytes_per_cycle(architecture.links[link]), of_links[link]));
    const double ports = per_reference_cycle(source.word * source.banks * source.read_ports, word_period(source));
    if (source.off_chip) least = std::min(least, share(ports, of_memories[route.source]));
  }
  return least;
}

/// Where the parts run.
class Sites {
 public:
  Sites(const Machine& machine, const Mapping& mapping) {
    if (part_count(mapping) > 1) {
      all_ = part_sites(machine, mapping);
    } else {
      own_ = site_of(mapping);
      all_ = {&own_};
    }
  }
  Sites(const Sites&) = delete;
  Sites& operator=(const Sites&) = delete;
  const std::vector<const Site*>& all() const { return all_; }

 private:
  Site own_;
  std::vector<const Site*> all_;
};

/// On-chip memories that hold something of some part's.
std::set<int> taken(const Machine& machine, const Mapping& mapping, const std::vector<const Site*>& sites) {
  std::set<int> memories;
  for (const Site* site : sites) {
    for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
      const Use& use = mapping.uses[u];
      if (use.home >= 0) memories.insert(use.home);
      for (int level = first_level(use); level < use.depth; ++level) {
        memories.insert(memory_at(machine.architecture, use, site->uses[u], level));
      }
    }
  }
  return memories;
}

/// How the parts get a use's tiles of a level.
class Reading {
 public:
  Reading(const Machine& machine, const Mapping& mapping, const std::vector<const Site*>& sites, std::size_t use,
          int level)
      : machine_(machine),
        mapping_(mapping),
        sites_(sites),
        level_(level),
        read_(mapping.uses[use]),
        comes_(read_.role != UseRole::output && !read_.hops.empty()) {
    for (const Site* site : sites) {
      const Site::Place& place = site->uses[use];
      const int memory = memory_at(machine.architecture, read_, place, level);
      ways_.push_back({comes_ ? hop_at(read_, place, level) : Hop{}, memory});
      ++holders_[ways_.back().memory];
      only_multicasts_ = only_multicasts_ || (comes_ && is_multicast(machine.architecture, ways_.back().hop));
    }
  }

  /// Whether all is as it would be for each part alone.
  bool apart() const {
    const bool own = std::ranges::all_of(holders_, [](const auto& held) { return held.second == 1; });
    return own && !only_multicasts_ && (!comes_ || (machine_.multicasts.empty() && !share_mover()));
  }

  /// Nothing where a multicast would bring some part what it does not want.
  std::optional<std::vector<SharedTiles>> run() {
    std::vector<SharedTiles> result(sites_.size());
    const std::set<int> taken =
        comes_ && !machine_.multicasts.empty() ? accord::taken(machine_, mapping_, sites_) : std::set<int>{};
    std::vector<Hop> made;
    for (const auto& group : groups()) {
      place(group, result);
      if (!comes_) continue;
      std::vector<Way> ways;
      for (const std::size_t part : group) ways.push_back(ways_[part]);
      const auto transfers = machine_.multicasts.cover(ways, taken);
      if (!transfers) return std::nullopt;
      for (const auto& transfer : *transfers) {
        made.push_back(transfer.hop);
        if (transfer.users.size() == 1) continue;
        for (const std::size_t user : transfer.users) {
          result[group[user]].bringer = transfer.hop;
          result[group[user]].receivers = static_cast<double>(transfer.users.size());
        }
      }
    }
    for (std::size_t part = 0; part < result.size(); ++part) result[part].places = places_.at(ways_[part].memory);
    if (comes_ && (made.size() < sites_.size() || share_mover())) relieve(made, result);
    return result;
  }

 private:
  /// Whether one mover makes several parts' transfers.
  bool share_mover() const {
    std::set<int> movers;
    for (const Way& way : ways_) movers.insert(way.hop.unit);
    return movers.size() < ways_.size();
  }

  /// Where several parts have a memory together, one transfer brings what they read to a place that they share, unless
  /// each needs its own.
  std::vector<std::vector<std::size_t>> groups() const {
    const bool together = std::ranges::any_of(holders_, [](const auto& held) { return held.second > 1; });
    std::vector<std::vector<std::size_t>> all;
    for (const auto& [turn, group] : readers(mapping_, read_)) {
      if (!together || !own_places()) {
        all.push_back(group);
      } else {
        for (const std::size_t part : group) all.push_back({part});
      }
    }
    return all;
  }

  /// Results are each part's, and so are the initial values that go there. Units that read the tile itself do so all
  /// the time: they would wait for each other where its bank has not as many ports.
  bool own_places() const {
    if (!comes_) return true;
    if (level_ + 1 < read_.depth) return false;
    if (read_.role == UseRole::start) return true;
    return std::ranges::any_of(holders_, [&](const auto& held) {
      return held.second > machine_.architecture.memories[held.first].read_ports;
    });
  }

  /// The group's place in each memory that it has tiles in.
  void place(const std::vector<std::size_t>& group, std::vector<SharedTiles>& result) {
    std::map<int, std::size_t> users;
    for (const std::size_t part : group) ++users[ways_[part].memory];
    for (const std::size_t part : group) {
      const int memory = ways_[part].memory;
      result[part].place = places_[memory];
      result[part].joint = users[memory] > 1 || is_only_multicasts(part);
    }
    for (const auto& [memory, count] : users) ++places_[memory];
  }

  bool is_only_multicasts(std::size_t part) const {
    return comes_ && is_multicast(machine_.architecture, ways_[part].hop);
  }

  /// What it gains that these transfers are made instead of one for each part.
  void relieve(const std::vector<Hop>& made, std::vector<SharedTiles>& result) const {
    std::vector<Hop> own;
    for (const Way& way : ways_) own.push_back(way.hop);
    const double relief = least_rate(machine_.architecture, made) / least_rate(machine_.architecture, own);
    std::map<int, double> transfers;  // by mover
    for (const Hop& hop : made) ++transfers[hop.unit];
    for (std::size_t p = 0; p < result.size(); ++p) {
      const Hop& hop = result[p].bringer.unit >= 0 ? result[p].bringer : own[p];
      result[p].turns = transfers[hop.unit];
      result[p].relief = std::max(relief, 1.0);
    }
  }

  const Machine& machine_;
  const Mapping& mapping_;
  const std::vector<const Site*>& sites_;
  const int level_;
  const Use& read_;
  const bool comes_;              ///< over hops, to be read
  std::vector<Way> ways_;         ///< by part; without hops for what the parts do not bring
  std::map<int, int> holders_;    ///< by memory: parts whose tiles lie there
  std::map<int, int> places_;     ///< by memory, of the groups so far
  bool only_multicasts_ = false;  ///< lead there
};

}  // namespace

std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop) {
  return ceil_div(mapping.extent[loop.iterator], loop.part);
}

std::size_t part_count(const Mapping& mapping) {
  std::int64_t count = 1;
  for (const auto& loop : mapping.spatial) count *= turns(mapping, loop);
  return static_cast<std::size_t>(count);
}

bool tells_apart(const Use& use, const SpatialLoop& loop) { return !use.filled && depends(use.access, loop.iterator); }

std::vector<std::size_t> part_elements(const Mapping& mapping) {
  std::vector<std::size_t> elements = {0};
  for (const auto& loop : mapping.spatial) {
    std::vector<std::size_t> inner;
    for (const std::size_t outer : elements) {
      for (std::int64_t turn = 0; turn < turns(mapping, loop); ++turn) {
        inner.push_back(outer + static_cast<std::size_t>(turn * loop.step));
      }
    }
    elements = std::move(inner);
  }
  return elements;
}

bool has_part_sites(const Machine& machine, const Mapping& mapping) {
  return mapping.spatial.empty() || std::ranges::max(part_elements(mapping)) < machine.elements.sites(mapping).size();
}

std::vector<const Site*> part_sites(const Machine& machine, const Mapping& mapping) {
  const auto& sites = machine.elements.sites(mapping);
  std::vector<const Site*> result;
  for (const std::size_t element : part_elements(mapping)) {
    assert(element < sites.size());
    result.push_back(&sites[element]);
  }
  return result;
}

std::vector<std::vector<SharedTiles>> readings_of(const Machine& machine, const Mapping& mapping, std::size_t use) {
  const Sites sites(machine, mapping);
  std::vector<std::vector<SharedTiles>> readings(sites.all().size());
  for (int level = first_level(mapping.uses[use]); level < mapping.uses[use].depth; ++level) {
    Reading reading(machine, mapping, sites.all(), use, level);
    if (reading.apart()) continue;
    const auto tiles = reading.run();
    for (std::size_t p = 0; tiles && p < readings.size(); ++p) {
      readings[p].resize(static_cast<std::size_t>(mapping.uses[use].depth));
      readings[p][level] = (*tiles)[p];
    }
  }
  return readings;
}

std::vector<SharedTiles> typical(const std::vector<std::vector<SharedTiles>>& readings) {
  std::vector<SharedTiles> result;
  for (std::size_t level = 0; level < readings.front().size(); ++level) {
    const auto at = [&](const std::vector<SharedTiles>& part) -> const SharedTiles& { return part[level]; };
    SharedTiles most = at(*std::ranges::max_element(readings, {}, [&](const auto& part) { return at(part).turns; }));
    double transfers = 0;
    for (const auto& part : readings) {
      transfers += 1 / at(part).receivers;
      most.places = std::max(most.places, at(part).places);
    }
    most.receivers = static_cast<double>(readings.size()) / transfers;
    result.push_back(most);
  }
  return result;
}

std::optional<Hop> misled(const Machine& machine, const Mapping& mapping) {
  std::optional<Sites> sites;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role == UseRole::output) continue;
    for (int level = 0; level < static_cast<int>(use.hops.size()); ++level) {
      if (!is_multicast(machine.architecture, use.hops[level])) continue;
      if (!sites) sites.emplace(machine, mapping);
      if (!Reading(machine, mapping, sites->all(), u, level).run()) return use.hops[level];
    }
  }
  return std::nullopt;
}

std::string text_of_multicast(const Architecture& architecture, const Hop& hop) {
  const Route& route = architecture.units[hop.unit].routes[hop.route];
  return fmt::format("{} is reached from {} only by a multicast of {}, to {} memories at once",
                     architecture.memories[route.target].name, architecture.memories[route.source].name,
                     architecture.units[hop.unit].name, route.also.size() + 1);
}

}  // namespace accord
