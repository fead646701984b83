#include "compiler/mapping/mover_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "archdsl/graph/rates.h"

namespace accord {
namespace {

double most_bytes(const RouteLimits& limits) {
  double bytes = 1;
  for (const auto& dim : limits.walk) bytes *= static_cast<double>(std::max<std::int64_t>(dim.max, 1));
  return bytes;
}

}  // namespace

MoverBound::MoverBound(const Machine& machine, const PassageFinder& finder) : machine_(machine), finder_(finder) {
  for (std::size_t u = 0; u < machine.architecture.units.size(); ++u) {
    if (machine.architecture.units[u].kind == UnitKind::mover) add_ways(static_cast<int>(u));
  }
  for (const Way& way : ways_) latency_ = std::max(latency_, way.latency);
}

void MoverBound::add_ways(int index) {
  const Architecture& architecture = machine_.architecture;
  const Unit& unit = architecture.units[index];
  const double period = static_cast<double>(unit.period.cycles(1000)) / 1000;
  const double per_request = period / static_cast<double>(unit.request);
  for (std::size_t r = 0; r < unit.routes.size(); ++r) {
    const Route& route = unit.routes[r];
    const RouteLimits* limits = machine_.limits.route(index, static_cast<int>(r));
    const bool inwards = finder_.off_chip(route.source);
    if (limits == nullptr || inwards == finder_.off_chip(route.target)) continue;
    Way way{index, inwards, false, {inwards ? route.target : route.source}, per_request, 0, 0};
    if (inwards) way.ends.insert(way.ends.end(), route.also.begin(), route.also.end());
    way.per_byte = std::max(way.per_byte, period * static_cast<double>(unit.setup) / most_bytes(*limits));
    way.latency = latency_of(architecture.memories[route.source]) + way_latency(architecture, route);
    way.under_way = static_cast<double>(way.latency) / static_cast<double>(unit.in_flight * unit.request);
    ways_.push_back(std::move(way));
  }
  for (const auto& capability : unit.capabilities) {
    const int target = capability.program.statements.back().target.operand;
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      if (!finder_.off_chip(capability.operands[o].memory)) continue;
      const bool inwards = static_cast<int>(o) != target;
      Way way{index, inwards, true, {}, per_request, 0, 0};
      const int end = capability.operands[target].memory;
      if (inwards && end >= 0 && !finder_.off_chip(end)) way.ends.push_back(end);
      ways_.push_back(std::move(way));
    }
  }
}

/// A result may always leave through a capability that writes off chip; LinkBound asks the same of wires.
bool MoverBound::serves(const Way& way, const Passage& passage) {
  if (way.own && passage.units[way.unit]) return true;
  if (way.inwards) return passage.comes_from(way.ends);
  return passage.leaves && (way.own || passage.gets_to(way.ends));
}

std::vector<MoverBound::Demand> MoverBound::demands(const std::vector<Passage>& passages) const {
  std::vector<Demand> result;
  for (const Passage& passage : passages) {
    constexpr double none = std::numeric_limits<double>::infinity();
    Demand demand{std::vector<bool>(machine_.architecture.units.size(), false), none, none};
    const auto bytes = static_cast<double>(passage.bytes);
    for (const Way& way : ways_) {
      if (!serves(way, passage)) continue;
      demand.movers[way.unit] = true;
      demand.presenting = std::min(demand.presenting, bytes * way.per_byte);
      demand.under_way = std::min(demand.under_way, bytes * way.under_way);
    }
    if (std::isfinite(demand.presenting)) result.push_back(std::move(demand));
  }
  return result;
}

std::int64_t MoverBound::cycles(const std::vector<Passage>& passages) const {
  double most = 0;
  for_each_set(demands(passages), [&](const std::vector<const Demand*>& set) {
    double presenting = 0, under_way = 0;
    std::vector<bool> movers(machine_.architecture.units.size(), false);
    for (const Demand* demand : set) {
      presenting += demand->presenting;
      under_way += demand->under_way;
      for (std::size_t u = 0; u < movers.size(); ++u) movers[u] = movers[u] || demand->movers[u];
    }
    const auto count = static_cast<double>(std::count(movers.begin(), movers.end(), true));
    // The last requests' way is latency, which the bound counts apart.
    most = std::max({most, presenting / count, under_way / count - static_cast<double>(latency_)});
  });
  return static_cast<std::int64_t>(std::floor(most * (1 + 1e-12)));
}

}  // namespace accord
