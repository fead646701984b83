#include "compiler/mapping/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/parse.h"
#include "compiler/mapping/multicast.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/site_tiles.h"

namespace accord {
namespace {

std::string text_of(const Step& step) { return step.kind == Step::Kind::free ? "free" : fmt::format("{}", step.bytes); }

/// What every operation of the unit feels.
std::string text_of(const Unit& unit) {
  return fmt::format("{} {}/{} {} {} {};", static_cast<int>(unit.kind), unit.period.numerator, unit.period.denominator,
                     unit.request, unit.in_flight, unit.setup);
}

std::string text_of(const Capability& capability, const RunLimits& limits) {
  std::string text;
  for (const auto& statement : capability.program.statements) text += to_string(capability.program, statement) + ";";
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const CapabilityOperand& operand = capability.operands[o];
    text += fmt::format("{} {} {}", name(capability.program.operands[o].type), operand.memory >= 0, operand.held);
    for (const Step& step : operand.steps) text += " " + text_of(step);
    text += ";";
  }
  for (const auto& dim : limits.dims) text += fmt::format("{}..{}/{};", dim.minimum, dim.maximum, dim.multiple);
  for (const std::int64_t unit : limits.units) text += fmt::format("{};", unit);
  for (const std::int64_t unit : limits.steps) text += fmt::format("{};", unit);
  return text + capability.start.text() + ";" + capability.interval.text() + ";" + capability.drain.text();
}

std::string text_of(const Route& route, const RouteLimits& limits) {
  std::string text = fmt::format("{} {} {} {} {} {} {};", limits.source_unit, limits.target_unit, limits.run_unit,
                                 limits.source_steps, limits.target_steps, route.pad.has_value(), route.also.size());
  for (const auto& dim : limits.walk) {
    text += fmt::format("{} {} {};", dim.max, text_of(dim.source), text_of(dim.target));
  }
  return text;
}

std::string text_of(const Memory& memory) {
  return fmt::format("{} {} {} {} {} {} {} {} {}/{}", memory.off_chip, memory.capacity, memory.word, memory.banks,
                     memory.read_ports, memory.write_ports, memory.shared_ports, latency_of(memory),
                     word_period(memory).numerator, word_period(memory).denominator);
}

/// Numbers texts in the order of their first appearance.
class Classes {
 public:
  int of(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

std::vector<int> memories_of(const Capability& capability) {
  std::vector<int> memories;
  for (const auto& operand : capability.operands) memories.push_back(operand.memory);
  return memories;
}

/// Of a use's hops, where each ends: at the next one's beginning.
std::vector<int> ends_of(const Architecture& architecture, const Use& use) {
  std::vector<int> ends;
  for (std::size_t h = 1; h < use.hops.size(); ++h) {
    ends.push_back(architecture.units[use.hops[h].unit].routes[use.hops[h].route].source);
  }
  if (!use.hops.empty()) ends.push_back(use.role == UseRole::output ? use.home : use.memory);
  return ends;
}

/// All that tells from which other sites a mapping may be carried to.
std::vector<int> key_of(const Mapping& mapping) {
  std::vector<int> key;
  for (const auto& step : mapping.steps) key.insert(key.end(), {step.match.unit, step.match.capability});
  for (const auto& use : mapping.uses) {
    key.insert(key.end(), {use.memory, use.home, static_cast<int>(use.hops.size())});
    for (const auto& hop : use.hops) key.insert(key.end(), {hop.unit, hop.route});
  }
  return key;
}

}  // namespace

Site site_of(const Mapping& mapping) {
  Site site;
  for (const auto& step : mapping.steps) site.steps.emplace_back(step.match.unit, step.match.capability);
  for (const auto& use : mapping.uses) site.uses.push_back({use.memory, use.hops});
  return site;
}

Mapping moved_to(const Site& site, const Mapping& mapping) {
  Mapping moved = mapping;
  for (std::size_t s = 0; s < moved.steps.size(); ++s) {
    std::tie(moved.steps[s].match.unit, moved.steps[s].match.capability) = site.steps[s];
  }
  for (std::size_t u = 0; u < moved.uses.size(); ++u) {
    moved.uses[u].memory = site.uses[u].memory;
    moved.uses[u].hops = site.uses[u].hops;
  }
  return moved;
}

const Hop& hop_at(const Use& use, const Site::Place& place, int level) {
  return use.role == UseRole::output ? place.hops[place.hops.size() - 1 - level] : place.hops[level];
}

int memory_at(const Architecture& architecture, const Use& use, const Site::Place& place, int level) {
  if (level + 1 >= use.depth) return place.memory;
  const Hop& hop = hop_at(use, place, use.role == UseRole::output ? level : level + 1);
  return architecture.units[hop.unit].routes[hop.route].source;
}

Elements::Elements(const Architecture& architecture, const Limits& limits) : architecture_(architecture) {
  Classes capabilities, routes, memories;
  for (const auto& memory : architecture.memories) memory_class_.push_back(memories.of(text_of(memory)));
  capabilities_at_.resize(architecture.memories.size());
  routes_at_.resize(architecture.memories.size());
  const auto enlist = [&](std::vector<Members>& classes, std::vector<Members>& at, int number, std::vector<int> ends,
                          const Member& member) {
    if (number < 0) return;
    classes.resize(std::max(classes.size(), static_cast<std::size_t>(number) + 1));
    classes[number].push_back(member);
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (const int m : ends) {
      if (m >= 0 && !architecture.memories[m].off_chip) at[m].push_back(member);
    }
  };
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    const int index = static_cast<int>(u);
    auto& of_capabilities = capability_class_.emplace_back();
    auto& openings = openings_.emplace_back();
    for (std::size_t c = 0; c < unit.capabilities.size(); ++c) {
      const int number = static_cast<int>(c);
      const RunLimits* limit = limits.run(index, number);
      openings.push_back(opening_capabilities(architecture, limits, index, number));
      const auto text = [&] {
        std::string all = text_of(unit) + text_of(unit.capabilities[c], *limit);
        for (const int o : openings.back()) all += "opened by" + text_of(unit.capabilities[o], *limits.run(index, o));
        return all;
      };
      of_capabilities.push_back(limit == nullptr ? -1 : capabilities.of(text()));
      enlist(capabilities_, capabilities_at_, of_capabilities.back(), memories_of(unit.capabilities[c]),
             {index, number, -1});
    }
    auto& of_routes = route_class_.emplace_back();
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      const int number = static_cast<int>(r);
      const Route& route = unit.routes[r];
      const RouteLimits* limit = limits.route(index, number);
      of_routes.push_back(limit == nullptr ? -1 : routes.of(text_of(unit) + text_of(route, *limit)));
      for (const int target : targets_of(route)) {
        enlist(routes_, routes_at_, of_routes.back(), {route.source, target}, {index, number, target});
      }
    }
  }
}

std::vector<std::pair<int, int>> Elements::alike(int unit, int capability) const {
  const int number = capability_class_[unit][capability];
  if (number < 0) return {{unit, capability}};
  std::vector<std::pair<int, int>> units;
  for (const Member& member : capabilities_[number]) units.emplace_back(member.unit, member.index);
  return units;
}

std::vector<Hop> Elements::parallel(const Hop& hop) const {
  const Route& route = architecture_.units[hop.unit].routes[hop.route];
  const int number = route_class_[hop.unit][hop.route];
  if (number < 0 || !route.also.empty()) return {hop};
  std::vector<Hop> hops;
  for (const Member& member : routes_[number]) {
    const Route& other = architecture_.units[member.unit].routes[member.index];
    if (other.source == route.source && other.target == route.target) hops.push_back({member.unit, member.index});
  }
  return hops;
}

/// Finds sites for one mapping, one after the other, by backtracking over its capabilities and hops.
class Elements::Carrier {
 public:
  Carrier(const Elements& elements, const Mapping& mapping)
      : elements_(elements),
        mapping_(mapping),
        tiles_(elements.architecture_, mapping),
        unit_taken_(elements.architecture_.units.size(), false),
        main_taken_(elements.architecture_.units.size(), false),
        memory_taken_(elements.architecture_.memories.size(), false) {
    for (const auto& step : mapping.steps) add({true, {step.match.unit, step.match.capability, -1}});
    for (const auto& use : mapping.uses) {
      const auto ends = ends_of(elements.architecture_, use);
      for (std::size_t h = 0; h < ends.size(); ++h) add({false, {use.hops[h].unit, use.hops[h].route, ends[h]}});
    }
  }

  std::vector<Site> run() {
    std::vector<Site> found = {site_of(mapping_)};
    const bool movable = std::all_of(parts_.begin(), parts_.end(), [&](const Part& p) { return class_of(p) >= 0; });
    if (!movable) return found;
    main_taken_[parts_[0].at.unit] = true;
    for (const auto& part : parts_) take(part);
    tiles_.add(found.front());
    for (const auto& main : elements_.capabilities_[class_of(parts_[0])]) {
      if (main_taken_[main.unit]) continue;
      image_.assign(parts_.size(), {});
      bound_.clear();
      budget_ = most_steps;
      if (!stay_home() || !place(0, main) || !visit(1)) continue;
      found.push_back(site());
      main_taken_[main.unit] = true;
      for (std::size_t p = 0; p < parts_.size(); ++p) take({parts_[p].runs, image_[p]});
    }
    return found;
  }

 private:
  static constexpr int most_steps = 2000;  // candidates looked at per site; arrays need one per part

  /// A capability or a route that the mapping uses.
  struct Part {
    bool runs = false;
    Member at;
    bool operator==(const Part&) const = default;
  };

  void add(const Part& part) {
    if (std::find(parts_.begin(), parts_.end(), part) == parts_.end()) parts_.push_back(part);
  }

  int class_of(const Part& part) const {
    return (part.runs ? elements_.capability_class_ : elements_.route_class_)[part.at.unit][part.at.index];
  }

  std::vector<int> memories(const Part& part) const {
    const Unit& unit = elements_.architecture_.units[part.at.unit];
    if (part.runs) return memories_of(unit.capabilities[part.at.index]);
    return {unit.routes[part.at.index].source, part.at.target};
  }

  bool on_chip(int memory) const { return memory >= 0 && !elements_.architecture_.memories[memory].off_chip; }

  void take(const Part& part) {
    unit_taken_[part.at.unit] = true;
    for (const int m : memories(part)) {
      if (on_chip(m)) memory_taken_[m] = true;
    }
  }

  /// A tensor lives in one place, whichever element works on it.
  bool stay_home() {
    return std::all_of(mapping_.uses.begin(), mapping_.uses.end(),
                       [&](const Use& use) { return use.home < 0 || bind(use.home, use.home); });
  }

  /// What stands for the memory; -1: nothing yet.
  int stand_in(int memory) const {
    const auto found = std::ranges::find(bound_, memory, &std::pair<int, int>::first);
    return found == bound_.end() ? -1 : found->second;
  }

  /// Off-chip memory is the same for all; each memory on chip stands for one other.
  bool bind(int memory, int other) {
    if (memory < 0 || other < 0) return memory == other;
    if (const int bound = stand_in(memory); bound >= 0) return bound == other;
    if (on_chip(memory) ? elements_.memory_class_[memory] != elements_.memory_class_[other] : memory != other) {
      return false;
    }
    const bool stands = std::ranges::find(bound_, other, &std::pair<int, int>::second) != bound_.end();
    if (!stands) bound_.emplace_back(memory, other);
    return !stands;
  }

  bool place(std::size_t p, const Member& at) {
    const auto here = memories(parts_[p]);
    const auto there = memories({parts_[p].runs, at});
    for (std::size_t m = 0; m < here.size(); ++m) {
      if (!bind(here[m], there[m])) return false;
    }
    image_[p] = at;
    return true;
  }

  /// Those of the part's class; where one of its memories stands for another already, those that reach that one.
  Members members(const Part& part) const {
    const auto& all = (part.runs ? elements_.capabilities_ : elements_.routes_)[class_of(part)];
    for (const int m : memories(part)) {
      const int bound = on_chip(m) ? stand_in(m) : -1;
      if (bound < 0) continue;
      Members near = (part.runs ? elements_.capabilities_at_ : elements_.routes_at_)[bound];
      std::erase_if(near, [&](const Member& at) { return class_of({part.runs, at}) != class_of(part); });
      return near;
    }
    return all;
  }

  /// Free units and memories first, then those that stand to the main unit as the mapping's own do.
  Members candidates(std::size_t p) const {
    const Part& part = parts_[p];
    std::vector<std::tuple<int, int, Member>> ranked;
    for (const Member& at : members(part)) {
      int taken = unit_taken_[at.unit] ? 1 : 0;
      for (const int m : memories({part.runs, at})) taken += m >= 0 && memory_taken_[m] ? 1 : 0;
      ranked.emplace_back(taken, std::abs((at.unit - part.at.unit) - (image_[0].unit - parts_[0].at.unit)), at);
    }
    std::sort(ranked.begin(), ranked.end());
    Members result;
    for (const auto& [taken, shift, at] : ranked) result.push_back(at);
    return result;
  }

  bool visit(std::size_t p) {
    if (p == parts_.size()) return tiles_.add(site());
    for (const auto& at : candidates(p)) {
      if (--budget_ < 0) return false;
      const std::size_t before = bound_.size();
      if (place(p, at) && visit(p + 1)) return true;
      bound_.resize(before);
    }
    return false;
  }

  const Member& image_of(const Part& part) const {
    return image_[static_cast<std::size_t>(std::find(parts_.begin(), parts_.end(), part) - parts_.begin())];
  }

  Site site() const {
    Site site = site_of(mapping_);
    for (auto& [unit, capability] : site.steps) {
      const Member& at = image_of({true, {unit, capability, -1}});
      std::tie(unit, capability) = std::pair(at.unit, at.index);
    }
    for (std::size_t u = 0; u < site.uses.size(); ++u) {
      auto& [memory, hops] = site.uses[u];
      if (const int bound = stand_in(memory); bound >= 0) memory = bound;
      const auto ends = ends_of(elements_.architecture_, mapping_.uses[u]);
      for (std::size_t h = 0; h < hops.size(); ++h) {
        const Member& at = image_of({false, {hops[h].unit, hops[h].route, ends[h]}});
        hops[h] = {at.unit, at.index};
      }
    }
    return site;
  }

  const Elements& elements_;
  const Mapping& mapping_;
  SiteTiles tiles_;          ///< of all sites found
  std::vector<Part> parts_;  ///< the main capability first
  Members image_;
  std::vector<std::pair<int, int>> bound_;  ///< memories, each with what stands for it
  std::vector<bool> unit_taken_, main_taken_, memory_taken_;
  int budget_ = 0;
};

const std::vector<Site>& Elements::sites(const Mapping& mapping) const {
  const std::vector<int> key = key_of(mapping);
  const std::lock_guard lock(asked_);
  auto& known = known_[key];
  if (known.empty()) known = Carrier(*this, mapping).run();
  return known;
}

}  // namespace accord
