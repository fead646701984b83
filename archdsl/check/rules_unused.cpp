#include <fmt/format.h>

#include <set>

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

}  // namespace

// A link of a network may well carry nothing in this machine; one without ends is there for the routes that name it.
void check_unused(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const Used used = used_by(architecture);
  Reporter& reporter = elaboration.scope.reporter();
  for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
    if (used.memories.contains(static_cast<int>(m))) continue;
    reporter.report("unused-component", elaboration.memory_places[m],
                    fmt::format("no route and no capability touches the memory `{}`", architecture.memories[m].name));
  }
  for (std::size_t l = 0; l < architecture.links.size(); ++l) {
    if (used.links.contains(static_cast<int>(l)) || !architecture.links[l].between.empty()) continue;
    reporter.report("unused-component", elaboration.link_places[l],
                    fmt::format("no route passes the link `{}`", architecture.links[l].name));
  }
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
