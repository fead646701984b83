#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "archdsl/source/scope.h"

namespace accord {

enum class ComponentKind { memory, link, mover, compute, controller, unknown };

std::string_view describe(ComponentKind kind);

/// What the covenant says about a unit beyond its resolved struct: places for diagnostics, and what is too broken to
/// check.
struct UnitSource {
  Place place;
  std::vector<std::string> route_names;  ///< "dram->spad"
  std::vector<Place> route_places;
  std::vector<Place> capability_places;
  std::vector<bool> route_sound;
  std::vector<bool> capability_sound;
  bool routes_known = true;  ///< false where a route's mistake hides its name
};

/// A covenant on its way from YAML to Architecture. The readers below fill it; the rules (rules.h) check it.
struct Elaboration {
  struct Component {
    std::string name;
    ComponentKind kind = ComponentKind::unknown;
    int index = -1;  ///< into the Architecture's list of the kind (units for mover and compute)
    const Node* node = nullptr;
    Place place;
  };

  explicit Elaboration(Scope& s) : scope(s) {}

  Scope& scope;
  Architecture architecture;
  std::vector<Component> components;
  std::vector<UnitSource> units;
  std::vector<Place> memory_places;
  std::vector<bool> fed;  ///< per unit
  std::vector<Place> mnemonic_places;
  Place isa_place;
  Place sync_place;
  bool components_sound = true;
  bool isa_sound = true;
  bool sync_sound = true;

  const Component* find(std::string_view name) const;
  /// Index of the named component of this kind; reports and gives -1 otherwise. Silent where the named component is
  /// itself broken.
  int resolve(ComponentKind kind, const std::string& name, const Place& place, std::string_view what);
  Location where(const Place& place) { return scope.reporter().location(place); }
};

void read_params(Scope& scope, const Node* node, const std::map<std::string, std::string>& overrides);
void read_components(Elaboration& elaboration, const Node& node);
Memory read_memory(Elaboration& elaboration, const Elaboration::Component& component);
Link read_link(Elaboration& elaboration, const Elaboration::Component& component);
Unit read_compute(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source);
Unit read_mover(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source);
Controller read_controller(Elaboration& elaboration, const Elaboration::Component& component);
void read_capabilities(Elaboration& elaboration, const Node* node, Unit& unit, UnitSource& source);
Numerics read_numerics(Elaboration& elaboration, const Node* node);
Sync read_sync(Elaboration& elaboration, const Node* node);
void read_isa(Elaboration& elaboration, const Node& node);

/// Items of a list, or the single value itself.
std::vector<const Node*> items_of(const Node& node);

}  // namespace accord
