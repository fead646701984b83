#include "archdsl/check/elaborate.h"

#include <fmt/format.h>

#include <array>

#include "archdsl/source/suggest.h"

namespace accord {

namespace {

ComponentKind read_kind(Scope& scope, const NodeEntry& entry) {
  const Node* const kind = entry.value.find("kind");
  if (!kind) {
    if (entry.value.is_map()) {
      scope.reporter().report("missing-key", entry.key.place,
                              fmt::format("component `{}` needs the key `kind`", entry.key.text),
                              "one of memory, link, mover, compute, controller");
    } else {
      scope.reporter().report(
          "wrong-form", entry.value.place,
          fmt::format("component `{}` is a map, not {}", entry.key.text, describe(entry.value.kind)));
    }
    return ComponentKind::unknown;
  }
  const std::string text = scope.text(*kind, "kind").value_or("");
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(ComponentKind::unknown); ++i) {
    names.emplace_back(describe(static_cast<ComponentKind>(i)));
    if (text == names.back()) return static_cast<ComponentKind>(i);
  }
  if (!text.empty()) {
    scope.reporter().report("wrong-value", kind->place, fmt::format("`{}` is no kind of component", text),
                            did_you_mean(text, names));
  }
  return ComponentKind::unknown;
}

/// Names first, so that components may refer to those below them.
void collect_names(Elaboration& elaboration, const Node& node) {
  int memories = 0, links = 0, units = 0, controllers = 0;
  for (const NodeEntry& entry : elaboration.scope.entries(&node, "components", 1024)) {
    if (!elaboration.scope.check_name(entry.key.text, entry.key.place, "component")) continue;
    Elaboration::Component component{entry.key.text, read_kind(elaboration.scope, entry), -1, &entry.value,
                                     entry.key.place};
    switch (component.kind) {
      case ComponentKind::memory: component.index = memories++; break;
      case ComponentKind::link: component.index = links++; break;
      case ComponentKind::mover:
      case ComponentKind::compute: component.index = units++; break;
      case ComponentKind::controller: component.index = controllers++; break;
      case ComponentKind::unknown: break;
    }
    elaboration.components.push_back(component);
  }
}

void read_unit(Elaboration& elaboration, const Elaboration::Component& component) {
  UnitSource source;
  source.place = component.place;
  Unit unit = component.kind == ComponentKind::mover ? read_mover(elaboration, component, source)
                                                     : read_compute(elaboration, component, source);
  unit.name = component.name;
  unit.where = elaboration.where(component.place);
  elaboration.architecture.units.push_back(std::move(unit));
  elaboration.units.push_back(std::move(source));
}

void read_controllers(Elaboration& elaboration, const Place& place) {
  Architecture& architecture = elaboration.architecture;
  elaboration.fed.assign(architecture.units.size(), false);
  const Elaboration::Component* first = nullptr;
  bool broken = false;
  for (const auto& component : elaboration.components) {
    broken = broken || component.kind == ComponentKind::unknown;
    if (component.kind != ComponentKind::controller) continue;
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

const Elaboration::Component* Elaboration::find(std::string_view name) const {
  for (const Component& component : components) {
    if (component.name == name) return &component;
  }
  return nullptr;
}

int Elaboration::resolve(ComponentKind kind, const std::string& name, const Place& place, std::string_view what) {
  const Component* const found = find(name);
  if (found && found->kind == kind) return found->index;
  if (found && found->kind == ComponentKind::unknown) return -1;
  std::vector<std::string> candidates;
  for (const Component& component : components) {
    if (component.kind == kind) candidates.push_back(component.name);
  }
  if (found) {
    scope.reporter().report(
        "wrong-component", place,
        fmt::format("{}: `{}` is of kind {}, not {}", what, name, describe(found->kind), describe(kind)));
  } else {
    scope.reporter().report("unknown-name", place, fmt::format("{}: there is no {} `{}`", what, describe(kind), name),
                            did_you_mean(name, candidates));
  }
  return -1;
}

void read_components(Elaboration& elaboration, const Node& node) {
  collect_names(elaboration, node);
  if (elaboration.components.empty()) return;
  for (const auto& component : elaboration.components) {
    if (component.kind == ComponentKind::memory) {
      elaboration.architecture.memories.push_back(read_memory(elaboration, component));
      elaboration.memory_places.push_back(component.place);
    } else if (component.kind == ComponentKind::link) {
      elaboration.architecture.links.push_back(read_link(elaboration, component));
    }
  }
  for (const auto& component : elaboration.components) {
    if (component.kind == ComponentKind::mover || component.kind == ComponentKind::compute) {
      read_unit(elaboration, component);
    }
  }
  read_controllers(elaboration, node.place);
}

std::vector<const Node*> items_of(const Node& node) {
  if (!node.is_sequence()) return {&node};
  std::vector<const Node*> items;
  for (const Node& item : node.items) items.push_back(&item);
  return items;
}

}  // namespace accord
