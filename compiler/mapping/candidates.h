#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/mapping/elements.h"
#include "compiler/mapping/homes.h"
#include "compiler/mapping/limits.h"
#include "compiler/mapping/multicast.h"
#include "compiler/mapping/plan.h"
#include "compiler/mapping/spread.h"

namespace accord {

/// What leads where on a machine, and what of it is alike: all that does not ask how quick anything is.
struct Topology {
  Topology(const Architecture& architecture, const Limits& limits)
      : graph(architecture, [&](const Hop& hop) { return limits.route(hop.unit, hop.route) != nullptr; }),
        elements(architecture, limits),
        multicasts(architecture, limits),
        spread(architecture) {}
  ComponentGraph graph;
  Elements elements;
  Multicasts multicasts;
  Spread spread;
};

/// What the mapper knows of the machine.
struct Machine {
  explicit Machine(const Architecture& a)
      : architecture(a), limits(a), topology(std::make_shared<const Topology>(a, limits)) {}
  /// `like` at other rates, for one of several parts, of which so many use each memory.
  Machine(const Machine& like, const Architecture& a, std::vector<std::int64_t> users)
      : architecture(a), limits(like.limits, a), topology(like.topology), memory_users(std::move(users)) {}
  const Architecture& architecture;
  Limits limits;
  std::shared_ptr<const Topology> topology;
  std::vector<std::int64_t> memory_users;  ///< parts of divided work at once, by memory; empty: one
  const ComponentGraph& graph = topology->graph;
  const Elements& elements = topology->elements;
  const Multicasts& multicasts = topology->multicasts;
  const Spread& spread = topology->spread;
  const Capability& capability(const Match& match) const {
    return architecture.units[match.unit].capabilities[match.capability];
  }
  /// Whether loops may become hardware loops. Waits and signals count turns: where they are needed, every turn stands
  /// in the program.
  const bool rolls = architecture.sync.kind != Sync::Kind::semaphores && limits.loops();
};

/// The transfers between a tensor's home and a memory on chip, away from the home or (`output`) towards it; empty where
/// no mnemonic drives them or the way leads through off-chip memory.
std::vector<Hop> way_between(const Machine& machine, int home, int memory, bool output);

/// All assignments of the work's iterators to dims of capabilities that keep every operand's access, with the operands'
/// ways to and from off-chip memory, longer ones too (longer_ways.h); tiles are not chosen yet. Ordered by the least
/// cycles that the main unit needs; the same assignments with shared and with separate windows both stand there.
/// `reasons` receives why a capability was turned down. (Enumeration of iterator assignments: Zheng et al., "AMOS",
/// ISCA 2022, section 4.)
std::vector<Mapping> candidates(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                std::vector<std::string>& reasons);

}  // namespace accord
