#include "compiler/mapping/shared_reads.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

/// The parts that read the same, in groups: the first loop that divides the work is the outermost. Parts that are left
/// with less work than others go other steps, and read for themselves.
std::map<std::vector<std::int64_t>, std::vector<std::size_t>> readers(const Mapping& mapping, const Use& use) {
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t part = 0; part < part_count(mapping); ++part) {
    std::vector<std::int64_t> turn;
    auto left = static_cast<std::int64_t>(part);
    for (auto loop = mapping.spatial.rbegin(); loop != mapping.spatial.rend(); ++loop) {
      const std::int64_t all = turns(mapping, *loop), now = left % all;
      turn.push_back(depends(use.access, loop->iterator) ? now : 0);
      turn.push_back(mapping.extent[loop->iterator] - now * loop->part < loop->part ? 1 : 0);
      left /= all;
    }
    groups[turn].push_back(part);
  }
  return groups;
}

/// What all these transfers, made at the same time, leave each of them of its way: bytes per cycle of the one that gets
/// least. Requests of several meet at random.
double least_rate(const Architecture& architecture, const std::vector<Hop>& transfers) {
  std::map<int, double> of_links, of_memories;
  const auto route_of = [&](const Hop& hop) -> const Route& { return architecture.units[hop.unit].routes[hop.route]; };
  for (const Hop& hop : transfers) {
    for (const int link : route_of(hop).links) ++of_links[link];
    ++of_memories[route_of(hop).source];
  }
  const auto share = [](double rate, double users) { return users > 1 ? rate * served / (users * asked) : rate; };
  double least = std::numeric_limits<double>::infinity();
  for (const Hop& hop : transfers) {
    const Route& route = route_of(hop);
    const Memory& source = architecture.memories[route.source];
    if (route.links.empty()) least = std::min(least, bytes_per_cycle(architecture, route));
    for (const int link : route.links)
      least = std::min(least, share(bytes_per_cycle(architecture.links[link]), of_links[link]));
    const double ports = per_reference_cycle(source.word * source.banks * source.read_ports, word_period(source));
    if (source.off_chip) least = std::min(least, share(ports, of_memories[route.source]));
  }
  return least;
}

}  // namespace

std::int64_t turns(const Mapping& mapping, const SpatialLoop& loop) {
  return ceil_div(mapping.extent[loop.iterator], loop.part);
}

std::size_t part_count(const Mapping& mapping) {
  std::int64_t count = 1;
  for (const auto& loop : mapping.spatial) count *= turns(mapping, loop);
  return static_cast<std::size_t>(count);
}

std::span<const Site> part_sites(const Machine& machine, const Mapping& mapping) {
  const auto& sites = machine.elements.sites(mapping);
  assert(part_count(mapping) <= sites.size());
  return std::span<const Site>(sites).first(part_count(mapping));
}

std::vector<SharedTiles> readings_of(const Machine& machine, const Mapping& mapping, std::size_t use) {
  std::vector<SharedTiles> readings(part_count(mapping));
  const Use& read = mapping.uses[use];
  if (machine.multicasts.empty() || read.hops.empty() || read.role == UseRole::output) return readings;
  std::vector<Hop> own, made;
  for (const Site& site : part_sites(machine, mapping)) own.push_back(hop_at(read, site.uses[use], 0));
  for (const auto& [turn, group] : readers(mapping, read)) {
    std::vector<Hop> hops;
    for (const std::size_t part : group) hops.push_back(own[part]);
    for (const auto& transfer : machine.multicasts.cover(hops)) {
      made.push_back(transfer.hop);
      if (transfer.users.size() == 1) continue;
      for (const std::size_t user : transfer.users) {
        readings[group[user]].bringer = transfer.hop;
        readings[group[user]].receivers = static_cast<double>(transfer.users.size());
      }
    }
  }
  if (made.size() == own.size()) return readings;
  const double relief = least_rate(machine.architecture, made) / least_rate(machine.architecture, own);
  std::map<int, double> transfers;  // by mover
  for (const Hop& hop : made) ++transfers[hop.unit];
  for (std::size_t p = 0; p < readings.size(); ++p) {
    const Hop& hop = readings[p].bringer.unit >= 0 ? readings[p].bringer : own[p];
    readings[p].turns = transfers[hop.unit];
    readings[p].relief = std::max(relief, 1.0);
  }
  return readings;
}

SharedTiles typical(const std::vector<SharedTiles>& readings) {
  SharedTiles most = *std::ranges::max_element(readings, {}, &SharedTiles::turns);
  double transfers = 0;
  for (const SharedTiles& reading : readings) transfers += 1 / reading.receivers;
  most.receivers = static_cast<double>(readings.size()) / transfers;
  return most;
}

}  // namespace accord
