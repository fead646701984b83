#include "archdsl/check/elaborate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "archdsl/source/suggest.h"

namespace accord {

namespace {

ComponentKind read_kind(Scope& scope, const ExpandedComponent& component) {
  const Node* const kind = component.node->find("kind");
  if (!kind) {
    if (component.node->is_map()) {
      scope.reporter().report("missing-key", component.place,
                              fmt::format("component `{}` needs the key `kind`", component.name),
                              "one of memory, link, mover, compute, controller; or `template`");
    } else {
      scope.reporter().report(
          "wrong-form", component.node->place,
          fmt::format("component `{}` must be a map, not {}", component.name, describe(component.node->kind)));
    }
    return ComponentKind::unknown;
  }
  const auto text = scope.text(*kind, "kind");
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(ComponentKind::unknown); ++i) {
    names.emplace_back(describe(static_cast<ComponentKind>(i)));
    if (text == names.back()) return static_cast<ComponentKind>(i);
  }
  if (text) {
    scope.reporter().report("wrong-value", kind->place, fmt::format("`{}` is no kind of component", *text),
                            did_you_mean(*text, names));
  }
  return ComponentKind::unknown;
}

/// The component's domain; the first where it names none.
int read_domain(Elaboration& elaboration, const Node& node) {
  const Node* const clock = node.find("clock");
  if (!clock) return 0;
  const auto name = elaboration.scope.text(*clock, "clock");
  std::vector<std::string> names;
  for (const ClockDomain& domain : elaboration.architecture.clocks) names.push_back(domain.name);
  const auto found = name ? std::find(names.begin(), names.end(), *name) : names.begin();
  if (found != names.end()) return static_cast<int>(found - names.begin());
  elaboration.scope.reporter().report("unknown-name", clock->place, fmt::format("there is no clock `{}`", *name),
                                      did_you_mean(*name, names));
  return 0;
}

/// Names first, so that components may refer to those below them.
void collect_names(Elaboration& elaboration) {
  for (const ExpandedGroup& group : elaboration.expansion.groups) {
    for (const std::string& element : group.elements) {
      if (!element.empty()) elaboration.elements.insert(element);
    }
  }
  int links = 0, units = 0, controllers = 0;
  for (const ExpandedComponent& expanded : elaboration.expansion.components) {
    Elaboration::Component component;
    component.name = expanded.name;
    component.prefix = expanded.prefix;
    component.kind = read_kind(elaboration.scope, expanded);
    component.node = expanded.node;
    component.place = expanded.place;
    if (component.kind != ComponentKind::unknown && component.kind != ComponentKind::controller) {
      component.clock = read_domain(elaboration, *expanded.node);
    }
    switch (component.kind) {
      case ComponentKind::link: component.index = links++; break;
      case ComponentKind::mover:
      case ComponentKind::compute: component.index = units++; break;
      case ComponentKind::controller: component.index = controllers++; break;
      default: break;
    }
    elaboration.component_of.emplace(component.name, elaboration.components.size());
    elaboration.components.push_back(std::move(component));
  }
}

/// Partitions become components of their own.
void read_memories(Elaboration& elaboration) {
  std::vector<Elaboration::Component> partitions;
  for (auto& component : elaboration.components) {
    if (component.kind != ComponentKind::memory) continue;
    elaboration.current = &component;
    for (Memory& memory : read_memory(elaboration, component)) {
      if (elaboration.components.size() + partitions.size() > most_components) {
        elaboration.scope.reporter().report(
            "too-many-components", component.place,
            fmt::format("a machine has at most {} components, partitions included", most_components));
        for (auto& other : elaboration.components) other.kind = ComponentKind::unknown;
        return;
      }
      const int index = static_cast<int>(elaboration.architecture.memories.size());
      if (memory.name == component.name) {
        component.index = index;
      } else {
        partitions.push_back(component);
        partitions.back().name = memory.name;
        partitions.back().index = index;
      }
      elaboration.architecture.memories.push_back(std::move(memory));
      elaboration.memory_places.push_back(component.place);
    }
  }
  for (Elaboration::Component& partition : partitions) {
    elaboration.component_of.emplace(partition.name, elaboration.components.size());
    elaboration.components.push_back(std::move(partition));
  }
}

void read_unit(Elaboration& elaboration, const Elaboration::Component& component) {
  UnitSource source;
  source.place = component.place;
  elaboration.scope.set_clock(elaboration.clock_of(component).hz);
  Unit unit = component.kind == ComponentKind::mover ? read_mover(elaboration, component, source)
                                                     : read_compute(elaboration, component, source);
  unit.name = component.name;
  unit.where = elaboration.where(component.place);
  unit.clock = component.clock;
  unit.period = elaboration.clock_of(component).period;
  elaboration.architecture.units.push_back(std::move(unit));
  elaboration.units.push_back(std::move(source));
}

void read_controllers(Elaboration& elaboration, const Place& place) {
  Architecture& architecture = elaboration.architecture;
  elaboration.fed.assign(architecture.units.size(), false);
  const Elaboration::Component* first = nullptr;
  bool broken = !elaboration.expansion_sound;
  for (const auto& component : elaboration.components) {
    broken = broken || component.kind == ComponentKind::unknown;
    if (component.kind != ComponentKind::controller) continue;
    elaboration.current = &component;
    Controller controller = read_controller(elaboration, component);
    if (first) {
      elaboration.scope.reporter()
          .report("controller-count", component.place, "a covenant has exactly one controller; this is another")
          .notes.push_back(elaboration.scope.reporter().note(first->place, "the first one"));
      continue;
    }
    first = &component;
    architecture.controller = std::move(controller);
  }
  if (!first && !broken) {
    elaboration.scope.reporter().report("controller-count", place,
                                        "a covenant has exactly one controller; there is none",
                                        "add `control: {kind: controller}`");
  }
}

}  // namespace

std::string_view describe(ComponentKind kind) {
  static constexpr std::array<std::string_view, 6> names = {"memory",  "link",       "mover",
                                                            "compute", "controller", "component"};
  return names[static_cast<std::size_t>(kind)];
}

Silicon read_silicon(const MapReader& reader) { return {reader.area("area"), reader.energy("static_energy")}; }

const Elaboration::Component* Elaboration::find(std::string_view name) const {
  std::string prefix = current ? current->prefix : "";
  do {
    const auto found = component_of.find(prefix + std::string(name));
    if (found != component_of.end()) return &components[found->second];
  } while (leave_instance(prefix));
  return nullptr;
}

bool leave_instance(std::string& prefix) {
  if (prefix.empty()) return false;
  prefix.pop_back();
  const std::size_t outer = prefix.rfind('.');
  prefix.resize(outer == std::string::npos ? 0 : outer + 1);
  return true;
}

int Elaboration::resolve(ComponentKind kind, const std::string& name, const Place& place, std::string_view what) {
  const Component* const found = find(name);
  if (found && found->kind == kind && found->index >= 0) return found->index;
  if (found ? found->kind == ComponentKind::unknown : !expansion_sound) {
    scope.reporter().follow_up();
    return -1;
  }
  std::vector<std::string> candidates;
  for (const Component& component : components) {
    if (component.kind == kind) candidates.push_back(component.name);
  }
  if (found && found->kind == kind) {
    scope.reporter().report("wrong-component", place, fmt::format("{}: `{}` has partitions: name one", what, name));
  } else if (found) {
    scope.reporter().report(
        "wrong-component", place,
        fmt::format("{}: `{}` is of kind {}, not {}", what, name, describe(found->kind), describe(kind)));
  } else {
    scope.reporter().report("unknown-name", place, fmt::format("{}: there is no {} `{}`", what, describe(kind), name),
                            did_you_mean(name, candidates));
  }
  return -1;
}

void read_components(Elaboration& elaboration, const Place& place) {
  collect_names(elaboration);
  if (elaboration.components.empty()) return;
  read_memories(elaboration);
  for (const auto& component : elaboration.components) {
    if (component.kind != ComponentKind::link) continue;
    elaboration.current = &component;
    elaboration.architecture.links.push_back(read_link(elaboration, component));
    elaboration.link_places.push_back(component.place);
  }
  for (const auto& component : elaboration.components) {
    if (component.kind != ComponentKind::mover && component.kind != ComponentKind::compute) continue;
    elaboration.current = &component;
    read_unit(elaboration, component);
  }
  route_over_links(elaboration);
  read_controllers(elaboration, place);
  elaboration.current = nullptr;
}

}  // namespace accord
