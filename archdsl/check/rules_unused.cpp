#include <fmt/format.h>

#include <set>
#include <tuple>
#include <vector>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

struct Used {
  std::set<int> memories;
  std::set<int> links;
  std::set<int> clocks = {0};
};

Used used_by(const Architecture& architecture) {
  Used used;
  for (const Unit& unit : architecture.units) {
    used.clocks.insert(unit.clock);
    if (unit.link >= 0) used.links.insert(unit.link);
    for (const Route& route : unit.routes) {
      used.memories.insert({route.source, route.target});
      used.memories.insert(route.also.begin(), route.also.end());
      used.links.insert(route.links.begin(), route.links.end());
    }
    for (const Capability& capability : unit.capabilities) {
      for (const CapabilityOperand& operand : capability.operands) used.memories.insert(operand.memory);
    }
  }
  for (const Memory& memory : architecture.memories) used.clocks.insert(memory.clock);
  for (const Link& link : architecture.links) used.clocks.insert(link.clock);
  return used;
}

// A link of a network may well carry nothing in this machine, while others of the same wiring do.
void check_links_used(Elaboration& elaboration, const Used& used) {
  const auto where = [&](std::size_t link) {
    const Place& place = elaboration.link_places[link];
    return std::tuple(place.file, place.line, place.column);
  };
  const std::vector<Link>& links = elaboration.architecture.links;
  std::set<std::tuple<int, int, int>> known;
  for (const int link : used.links) known.insert(where(static_cast<std::size_t>(link)));
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (used.links.contains(static_cast<int>(l)) || !known.insert(where(l)).second) continue;
    elaboration.scope.reporter().report("unused-component", elaboration.link_places[l],
                                        fmt::format("no route passes the link `{}`", links[l].name));
  }
}

}  // namespace

void check_unused(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const Used used = used_by(architecture);
  Reporter& reporter = elaboration.scope.reporter();
  for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
    if (used.memories.contains(static_cast<int>(m))) continue;
    reporter.report("unused-component", elaboration.memory_places[m],
                    fmt::format("no route and no capability touches the memory `{}`", architecture.memories[m].name));
  }
  check_links_used(elaboration, used);
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    if (!unit.routes.empty() || !unit.capabilities.empty()) continue;
    reporter.report("unused-component", elaboration.units[u].place,
                    fmt::format("`{}` has neither routes nor capabilities", unit.name));
  }
  for (std::size_t c = 0; c < architecture.clocks.size(); ++c) {
    if (used.clocks.contains(static_cast<int>(c))) continue;
    reporter.report("unused-component", elaboration.clock_places[c],
                    fmt::format("no component runs on the clock `{}`", architecture.clocks[c].name));
  }
}

void check_templates_used(Elaboration& elaboration) {
  for (const auto& [name, place] : elaboration.expansion.unused_templates) {
    elaboration.scope.reporter().report("unused-component", place,
                                        fmt::format("nothing instantiates the template `{}`", name));
  }
}

}  // namespace accord
