#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "archdsl/expand/expand.h"
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
    int index = -1;      ///< into the Architecture's list of the kind (units for mover and compute)
    std::string prefix;  ///< "core[2]."
    int clock = 0;       ///< domain
    const Node* node = nullptr;
    Place place;
  };

  explicit Elaboration(Scope& s) : scope(s) {}

  Scope& scope;
  Architecture architecture;
  ExpandedMachine expansion;
  std::vector<Component> components;
  std::unordered_map<std::string, std::size_t> component_of;  ///< by name
  std::unordered_set<std::string> elements;                   ///< names of the expansion's groups' elements
  const Component* current = nullptr;                         ///< its references are being resolved
  std::vector<UnitSource> units;
  /// Units by their names without indices ("core[].mesh"); filled when a mnemonic first chooses among elements.
  std::unordered_map<std::string, std::vector<int>> alike_units;
  std::size_t choices = 0;  ///< elements among which the mnemonics choose, all together
  std::vector<Place> memory_places;
  std::vector<Place> link_places;
  std::vector<Place> clock_places;
  std::vector<bool> fed;  ///< per unit
  std::vector<Place> mnemonic_places;
  std::optional<Place> accumulator_place;  ///< where `numerics` names one
  Place isa_place;
  Place sync_place;
  bool expansion_sound = true;  ///< false: names may be missing that a mistake hides
  bool components_sound = true;
  bool isa_sound = true;
  bool sync_sound = true;

  /// The component that `name` means inside the current one.
  const Component* find(std::string_view name) const;
  const ClockDomain& clock_of(const Component& component) const {
    return architecture.clocks[static_cast<std::size_t>(component.clock)];
  }
  /// Index of the named component of this kind; reports and gives -1 otherwise. Silent where the named component is
  /// itself broken.
  int resolve(ComponentKind kind, const std::string& name, const Place& place, std::string_view what);
  Location where(const Place& place) { return scope.reporter().location(place); }
};

std::vector<ClockDomain> read_clocks(Elaboration& elaboration, const MapReader& covenant);
/// reference / own as a fraction, to 15 digits: of frequencies, or of bytes per second.
Period period_of(double reference_hz, double own_hz);
/// Reads what the elaboration's expansion holds; `place` is that of `components`.
void read_components(Elaboration& elaboration, const Place& place);
/// The memory, or its partitions.
std::vector<Memory> read_memory(Elaboration& elaboration, const Elaboration::Component& component);
/// Keys that all kinds of components have.
Silicon read_silicon(const MapReader& reader);
Link read_link(Elaboration& elaboration, const Elaboration::Component& component);
Unit read_compute(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source);
Unit read_mover(Elaboration& elaboration, const Elaboration::Component& component, UnitSource& source);
Controller read_controller(Elaboration& elaboration, const Elaboration::Component& component);
void read_capabilities(Elaboration& elaboration, const Node* node, Unit& unit, UnitSource& source);
Numerics read_numerics(Elaboration& elaboration, const Node* node);
Sync read_sync(Elaboration& elaboration, const Node* node);
void read_isa(Elaboration& elaboration, const Node& node);

std::vector<WalkDim> read_walk(Elaboration& elaboration, const Node* node);
std::vector<int> read_links(Elaboration& elaboration, const Node& node);
void read_route(Elaboration& elaboration, const Node& node, const std::vector<int>& links, Unit& unit,
                UnitSource& source);
/// Fills in the links of every route that names none, and what crossing clock domains costs (routing.cpp).
void route_over_links(Elaboration& elaboration);

/// "core[1].tile[0]." becomes "core[1].", that becomes ""; false where nothing is further out.
bool leave_instance(std::string& prefix);

}  // namespace accord
