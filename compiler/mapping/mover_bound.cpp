#include "compiler/mapping/mover_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/compulsory.h"

namespace accord {
namespace {

constexpr std::size_t most_demands = 12;  ///< more operands than any codelet has: all sets of them are looked at

double most_bytes(const RouteLimits& limits) {
  double bytes = 1;
  for (const auto& dim : limits.walk) bytes *= static_cast<double>(std::max<std::int64_t>(dim.max, 1));
  return bytes;
}

}  // namespace

MoverBound::MoverBound(const Machine& machine, const Network& network, const Work& work)
    : machine_(machine),
      network_(network),
      work_(work),
      spread_(machine.architecture),
      distinct_(work.operands.size(), -1) {
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
    const bool inwards = off_chip(route.source);
    if (limits == nullptr || inwards == off_chip(route.target)) continue;
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
      if (!off_chip(capability.operands[o].memory)) continue;
      const bool inwards = static_cast<int>(o) != target;
      Way way{index, inwards, true, {}, per_request, 0, 0};
      const int end = capability.operands[target].memory;
      if (inwards && end >= 0 && !off_chip(end)) way.ends.push_back(end);
      ways_.push_back(std::move(way));
    }
  }
}

/// A result may always leave through a capability that writes off chip; LinkBound asks the same of wires.
bool MoverBound::serves(const Way& way, const Use& use, int unit) const {
  if (use.depth == 0) return way.own && way.unit == unit;
  const WorkOperand& operand = work_.operands[use.access.operand];
  const ElementType type = network_.tensors[operand.tensor].type;
  if (use.role == UseRole::output) {
    return !way.inwards && (way.own || std::any_of(way.ends.begin(), way.ends.end(), [&](int end) {
                              return spread_.reaches(use.memory, use.type, end, type);
                            }));
  }
  return way.inwards && std::any_of(way.ends.begin(), way.ends.end(), [&](int end) {
           return end == use.memory || (operand.constant ? spread_.reaches_in_any_type(end, use.memory, use.type)
                                                         : spread_.reaches(end, type, use.memory, use.type));
         });
}

void MoverBound::serve(Demand& demand, double bytes, const Use& use, int unit) const {
  for (const Way& way : ways_) {
    if (!serves(way, use, unit)) continue;
    demand.movers[way.unit] = true;
    demand.presenting = std::min(demand.presenting, bytes * way.per_byte);
    demand.under_way = std::min(demand.under_way, bytes * way.under_way);
  }
}

double MoverBound::bytes_of(const Use& use) const {
  double& bytes = distinct_[use.access.operand];
  if (bytes < 0) bytes = static_cast<double>(distinct_bytes(network_, work_, use.access.operand));
  return bytes;
}

std::vector<MoverBound::Demand> MoverBound::demands(const Mapping& assignment) const {
  std::map<int, Demand> by_operand;
  const auto images = machine_.elements.images(assignment);
  for (std::size_t u = 0; u < assignment.uses.size(); ++u) {
    const Use& use = assignment.uses[u];
    if (use.filled || use.role == UseRole::accumulator || use.access.operand < 0) continue;
    if (work_.operands[use.access.operand].tensor == no_tensor || !off_chip(use.home)) continue;
    constexpr double none = std::numeric_limits<double>::infinity();
    const Demand fresh{std::vector<bool>(machine_.architecture.units.size(), false), none, none};
    Demand& demand = by_operand.try_emplace(use.access.operand, fresh).first->second;
    for (const auto& image : images) serve(demand, bytes_of(use), image.uses[u], image.steps[use.step].match.unit);
  }
  std::vector<Demand> result;
  for (auto& [operand, demand] : by_operand) {
    if (std::isfinite(demand.presenting)) result.push_back(std::move(demand));
  }
  if (result.size() > most_demands) result.resize(most_demands);
  return result;
}

std::int64_t MoverBound::cycles(const Mapping& assignment) const {
  const auto all = demands(assignment);
  double most = 0;
  for (std::size_t set = 1; set < std::size_t{1} << all.size(); ++set) {
    double presenting = 0, under_way = 0;
    std::vector<bool> movers(machine_.architecture.units.size(), false);
    for (std::size_t d = 0; d < all.size(); ++d) {
      if ((set >> d & 1) == 0) continue;
      presenting += all[d].presenting;
      under_way += all[d].under_way;
      for (std::size_t u = 0; u < movers.size(); ++u) movers[u] = movers[u] || all[d].movers[u];
    }
    const auto count = static_cast<double>(std::count(movers.begin(), movers.end(), true));
    // The last requests' way is latency, which the bound counts apart.
    most = std::max({most, presenting / count, under_way / count - static_cast<double>(latency_)});
  }
  return static_cast<std::int64_t>(std::floor(most * (1 + 1e-12)));
}

}  // namespace accord
