#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

/// The full name of a component, or of an instance or element with components in it; empty, with a diagnostic, where
/// there is none.
std::string resolve_end(Elaboration& elaboration, const Node& node) {
  const auto name = elaboration.scope.text(node, "an end");
  if (!name) return {};
  if (const auto* const component = elaboration.find(*name)) {
    if (component->kind == ComponentKind::memory) return component->name;
  }
  std::string prefix = elaboration.current->prefix;
  std::vector<std::string> names;
  while (true) {
    for (const ExpandedGroup& group : elaboration.expansion.groups) {
      if (!group.name.starts_with(prefix)) continue;
      for (const std::string& element : group.elements) {
        if (element == prefix + *name) return element;
      }
      if (names.size() < 256) names.push_back(group.name);
    }
    if (prefix.empty()) break;
    prefix.pop_back();
    const std::size_t outer = prefix.rfind('.');
    prefix.resize(outer == std::string::npos ? 0 : outer + 1);
  }
  elaboration.scope.reporter().report("unknown-name", node.place,
                                      fmt::format("an end: there is no memory or instance `{}`", *name),
                                      did_you_mean(*name, names));
  return {};
}

Arbitration parse_arbitration(const std::string& word) {
  if (word == "round_robin") return Arbitration::round_robin;
  return word == "priority" ? Arbitration::priority : Arbitration::first_come;
}

}  // namespace

Link read_link(Elaboration& elaboration, const Elaboration::Component& component) {
  const ClockDomain& domain = elaboration.clock_of(component);
  elaboration.scope.set_clock(domain.hz);
  const MapReader reader(elaboration.scope, *component.node, "link", fmt::format("link `{}`", component.name));
  Link link;
  link.name = component.name;
  link.where = elaboration.where(component.place);
  link.clock = component.clock;
  link.period = domain.period;
  link.width = reader.rate("width");
  link.duplex = reader.flag("duplex");
  link.crossbar = reader.flag("crossbar");
  link.arbitration = parse_arbitration(reader.word("arbitration"));
  if (reader.find("fifo")) link.fifo = reader.bytes("fifo");
  link.latency = reader.cycles("latency");
  link.pj_per_byte = reader.energy("energy");
  if (const Node* const between = reader.find("between")) {
    const std::vector<const Node*> ends = items_of(*between);
    if (ends.size() != 2) {
      elaboration.scope.reporter().report("wrong-form", between->place, "a link has two ends: [core[0], dram]");
      return link;
    }
    for (const Node* const end : ends) link.between.push_back(resolve_end(elaboration, *end));
  }
  return link;
}

}  // namespace accord
