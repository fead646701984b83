#include "compiler/mapping/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/parse.h"

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
  return text + capability.start.text() + ";" + capability.interval.text() + ";" + capability.drain.text();
}

std::string text_of(const Route& route, const RouteLimits& limits) {
  std::string text = fmt::format("{} {} {};", limits.source_unit, limits.target_unit, route.pad.has_value());
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

void enlist(std::vector<std::vector<std::pair<int, int>>>& classes, int number, int unit, std::size_t index) {
  if (number < 0) return;
  classes.resize(std::max(classes.size(), static_cast<std::size_t>(number) + 1));
  classes[number].emplace_back(unit, static_cast<int>(index));
}

}  // namespace

Elements::Elements(const Architecture& architecture, const Limits& limits) : architecture_(architecture) {
  Classes capabilities, routes, memories;
  for (const auto& memory : architecture.memories) memory_class_.push_back(memories.of(text_of(memory)));
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    const int index = static_cast<int>(u);
    auto& of_capabilities = capability_class_.emplace_back();
    for (std::size_t c = 0; c < unit.capabilities.size(); ++c) {
      const RunLimits* limit = limits.run(index, static_cast<int>(c));
      of_capabilities.push_back(
          limit == nullptr ? -1 : capabilities.of(text_of(unit) + text_of(unit.capabilities[c], *limit)));
      enlist(capabilities_, of_capabilities.back(), index, c);
    }
    auto& of_routes = route_class_.emplace_back();
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      const RouteLimits* limit = limits.route(index, static_cast<int>(r));
      const bool usable = limit != nullptr && unit.routes[r].also.empty();
      of_routes.push_back(usable ? routes.of(text_of(unit) + text_of(unit.routes[r], *limit)) : -1);
      enlist(routes_, of_routes.back(), index, r);
    }
  }
}

std::vector<std::pair<int, int>> Elements::alike(int unit, int capability) const {
  const int number = capability_class_[unit][capability];
  return number < 0 ? std::vector<std::pair<int, int>>{{unit, capability}} : capabilities_[number];
}

/// Finds images of one mapping, one after the other, by backtracking over its capabilities and hops.
class Elements::Carrier {
 public:
  Carrier(const Elements& elements, const Mapping& mapping)
      : elements_(elements),
        mapping_(mapping),
        unit_taken_(elements.architecture_.units.size(), false),
        memory_taken_(elements.architecture_.memories.size(), false) {
    for (const auto& step : mapping.steps) add({true, step.match.unit, step.match.capability});
    for (const auto& use : mapping.uses) {
      for (const auto& hop : use.hops) add({false, hop.unit, hop.route});
    }
  }

  std::vector<Mapping> run() {
    std::vector<Mapping> found = {mapping_};
    const bool movable = std::all_of(parts_.begin(), parts_.end(), [&](const Part& p) { return class_of(p) >= 0; });
    if (!movable) return found;
    for (const auto& part : parts_) take(part.unit, part.index, part.runs);
    for (const auto& main : elements_.capabilities_[class_of(parts_[0])]) {
      if (main.first == parts_[0].unit) continue;
      image_.assign(parts_.size(), {-1, -1});
      memory_.assign(elements_.architecture_.memories.size(), -1);
      budget_ = most_steps;
      if (!unit_main(main, found) || !stay_home() || !place(0, main) || !visit(1)) continue;
      found.push_back(carried());
      for (std::size_t p = 0; p < parts_.size(); ++p) take(image_[p].first, image_[p].second, parts_[p].runs);
    }
    return found;
  }

 private:
  static constexpr int most_steps = 2000;  // candidates looked at per image; arrays need one per part

  /// A capability or a route that the mapping uses.
  struct Part {
    bool runs = false;
    int unit = -1;
    int index = -1;
    bool operator==(const Part&) const = default;
  };

  void add(const Part& part) {
    if (std::find(parts_.begin(), parts_.end(), part) == parts_.end()) parts_.push_back(part);
  }

  int class_of(const Part& part) const {
    return (part.runs ? elements_.capability_class_ : elements_.route_class_)[part.unit][part.index];
  }

  bool unit_main(const std::pair<int, int>& main, const std::vector<Mapping>& found) const {
    return std::none_of(found.begin(), found.end(),
                        [&](const Mapping& m) { return m.steps[0].match.unit == main.first; });
  }

  std::vector<int> memories(bool runs, int unit, int index) const {
    const Unit& u = elements_.architecture_.units[unit];
    if (!runs) return {u.routes[index].source, u.routes[index].target};
    std::vector<int> result;
    for (const auto& operand : u.capabilities[index].operands) result.push_back(operand.memory);
    return result;
  }

  void take(int unit, int index, bool runs) {
    unit_taken_[unit] = true;
    for (const int m : memories(runs, unit, index)) {
      if (m >= 0 && !elements_.architecture_.memories[m].off_chip) memory_taken_[m] = true;
    }
  }

  /// A tensor lives in one place, whichever element works on it.
  bool stay_home() {
    return std::all_of(mapping_.uses.begin(), mapping_.uses.end(),
                       [&](const Use& use) { return use.home < 0 || bind(use.home, use.home); });
  }

  /// Off-chip memory is the same for all; each memory on chip stands for one other.
  bool bind(int memory, int other) {
    if (memory < 0 || other < 0) return memory == other;
    if (memory_[memory] >= 0) return memory_[memory] == other;
    const bool off_chip = elements_.architecture_.memories[memory].off_chip;
    if (off_chip ? memory != other : elements_.memory_class_[memory] != elements_.memory_class_[other]) return false;
    if (std::find(memory_.begin(), memory_.end(), other) != memory_.end()) return false;
    memory_[memory] = other;
    return true;
  }

  bool place(std::size_t p, const std::pair<int, int>& at) {
    const auto here = memories(parts_[p].runs, parts_[p].unit, parts_[p].index);
    const auto there = memories(parts_[p].runs, at.first, at.second);
    for (std::size_t m = 0; m < here.size(); ++m) {
      if (!bind(here[m], there[m])) return false;
    }
    image_[p] = at;
    return true;
  }

  /// Free units and memories first, then those that stand to the main unit as the mapping's own do.
  std::vector<std::pair<int, int>> candidates(std::size_t p) const {
    const Part& part = parts_[p];
    const auto& members = (part.runs ? elements_.capabilities_ : elements_.routes_)[class_of(part)];
    std::vector<std::tuple<int, int, int, int>> ranked;
    for (const auto& [unit, index] : members) {
      int taken = unit_taken_[unit] ? 1 : 0;
      for (const int m : memories(part.runs, unit, index)) taken += m >= 0 && memory_taken_[m] ? 1 : 0;
      const int shift = std::abs((unit - part.unit) - (image_[0].first - parts_[0].unit));
      ranked.emplace_back(taken, shift, unit, index);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::pair<int, int>> result;
    for (const auto& [taken, shift, unit, index] : ranked) result.emplace_back(unit, index);
    return result;
  }

  bool visit(std::size_t p) {
    if (p == parts_.size()) return true;
    for (const auto& at : candidates(p)) {
      if (--budget_ < 0) return false;
      const auto before = memory_;
      if (place(p, at) && visit(p + 1)) return true;
      memory_ = before;
    }
    return false;
  }

  std::pair<int, int> image_of(const Part& part) const {
    return image_[static_cast<std::size_t>(std::find(parts_.begin(), parts_.end(), part) - parts_.begin())];
  }

  Mapping carried() const {
    Mapping mapping = mapping_;
    for (auto& step : mapping.steps) {
      std::tie(step.match.unit, step.match.capability) = image_of({true, step.match.unit, step.match.capability});
    }
    for (auto& use : mapping.uses) {
      if (memory_[use.memory] >= 0) use.memory = memory_[use.memory];
      for (auto& hop : use.hops) std::tie(hop.unit, hop.route) = image_of({false, hop.unit, hop.route});
    }
    return mapping;
  }

  const Elements& elements_;
  const Mapping& mapping_;
  std::vector<Part> parts_;  ///< the main capability first
  std::vector<std::pair<int, int>> image_;
  std::vector<int> memory_;  ///< by memory: what stands for it; -1: nothing yet
  std::vector<bool> unit_taken_, memory_taken_;
  int budget_ = 0;
};

std::vector<Mapping> Elements::images(const Mapping& mapping) const { return Carrier(*this, mapping).run(); }

}  // namespace accord
