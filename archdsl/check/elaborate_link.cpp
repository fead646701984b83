#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"

namespace accord {

namespace {

std::string wrong_end(Elaboration& elaboration, const Node& node, const Elaboration::Component& component) {
  elaboration.scope.reporter().report(
      "wrong-component", node.place,
      fmt::format("an end: `{}` is of kind {}, not a memory or an instance", component.name, describe(component.kind)),
      "name the memory that it reads or writes");
  return {};
}

/// The full name of a memory, or of an instance or element with components in it; empty, with a diagnostic, where
/// there is none.
std::string resolve_end(Elaboration& elaboration, const Node& node) {
  const auto name = elaboration.scope.text(node, "an end");
  if (!name) return {};
  if (const auto* const component = elaboration.find(*name)) {
    if (component->kind == ComponentKind::memory) return component->name;
    if (component->kind != ComponentKind::unknown) return wrong_end(elaboration, node, *component);
  }
  std::string prefix = elaboration.current->prefix;
  do {
    if (elaboration.elements.contains(prefix + *name)) return prefix + *name;
  } while (leave_instance(prefix));
  std::vector<std::string> names;
  for (const ExpandedGroup& group : elaboration.expansion.groups) {
    if (names.size() < 256) names.push_back(group.name);
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

/// Bytes per cycle, or a bandwidth, which need not be a whole number of bytes per cycle.
void read_width(Elaboration& elaboration, const MapReader& reader, Link& link) {
  const Node* const node = reader.find("width");
  const auto quantity = node ? elaboration.scope.quantity(*node, "width", Dimension::bytes) : std::nullopt;
  if (!quantity || quantity->dimension != Dimension::bytes_per_second) {
    if (quantity) link.width = reader.rate("width");
    return;
  }
  const double reference = elaboration.architecture.clock_hz;
  if (quantity->number() < reference / 1024 || quantity->number() > reference * (1 << 20)) {
    elaboration.scope.reporter().report("out-of-range", node->place,
                                        "width must be between 1/1024 B and 2^20 B per cycle of the reference clock");
    return;
  }
  link.width = 1;
  link.period = period_of(reference, quantity->number());
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
  read_width(elaboration, reader, link);
  link.duplex = reader.flag("duplex");
  link.crossbar = reader.flag("crossbar");
  link.arbitration = parse_arbitration(reader.word("arbitration"));
  if (const Node* const fifo = reader.find("fifo")) {
    link.fifo = reader.bytes("fifo");
    if (link.fifo > 0 && link.fifo < link.width) {
      elaboration.scope.reporter().report(
          "short-fifo", fifo->place,
          fmt::format("{} B are less than a beat of {} B: the FIFO holds one nevertheless", link.fifo, link.width),
          fmt::format("make it {} B at least", link.width));
    }
  }
  link.latency = reader.cycles("latency");
  link.pj_per_byte = reader.energy("energy");
  link.silicon = read_silicon(reader);
  if (const Node* const between = reader.find("between")) {
    const std::vector<const Node*> ends = items_of(*between);
    if (ends.size() != 2) {
      elaboration.scope.reporter().report("wrong-form", between->place, "a link has two ends: [\"core[0]\", dram]");
      return link;
    }
    for (const Node* const end : ends) link.between.push_back(resolve_end(elaboration, *end));
    if (!link.between[0].empty() && link.between[0] == link.between[1]) {
      elaboration.scope.reporter().report("wrong-value", between->place, "the two ends of a link are the same");
    }
  }
  return link;
}

}  // namespace accord
