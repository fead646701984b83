#include "compiler/mapping/spread.h"

#include <optional>

namespace accord {
namespace {

constexpr std::size_t types = static_cast<std::size_t>(ElementType::fp32) + 1;

std::size_t state_of(int memory, std::size_t type) { return static_cast<std::size_t>(memory) * types + type; }

std::size_t state_of(int memory, ElementType type) { return state_of(memory, static_cast<std::size_t>(type)); }

/// The memories of the states with this type, or with any; ascending.
std::vector<int> memories_of(const std::set<std::size_t>& states, std::optional<ElementType> type) {
  std::vector<int> memories;
  for (const std::size_t state : states) {
    const int memory = static_cast<int>(state / types);
    if (type && state != state_of(memory, *type)) continue;
    if (memories.empty() || memories.back() != memory) memories.push_back(memory);
  }
  return memories;
}

}  // namespace

Spread::Spread(const Architecture& architecture)
    : architecture_(architecture), next_(architecture.memories.size() * types), before_(next_.size()) {
  for (const Unit& unit : architecture.units) {
    add_routes(unit);
    for (const Capability& capability : unit.capabilities) add_capability(capability);
  }
}

void Spread::add_routes(const Unit& unit) {
  for (const Route& route : unit.routes) {
    for (std::size_t type = 0; type < types; ++type) {
      add(state_of(route.source, type), state_of(route.target, type));
      for (const int also : route.also) add(state_of(route.source, type), state_of(also, type));
    }
  }
}

void Spread::add_capability(const Capability& capability) {
  const int target = capability.program.statements.back().target.operand;
  if (capability.operands[target].memory < 0) return;
  const auto state = [&](int o) {
    return state_of(capability.operands[o].memory, capability.program.operands[o].type);
  };
  for (int o = 0; o < static_cast<int>(capability.operands.size()); ++o) {
    if (capability.operands[o].memory >= 0) add(state(o), state(target));
  }
}

void Spread::add(State from, State to) {
  if (architecture_.memories[from / types].off_chip) return;
  next_[from].push_back(to);
  before_[to].push_back(from);
}

std::set<Spread::State> Spread::all(const Steps& steps, State start) {
  std::set<State> seen = {start};
  std::vector<State> open = {start};
  while (!open.empty()) {
    const State at = open.back();
    open.pop_back();
    for (const State next : steps[at]) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return seen;
}

std::vector<int> Spread::sources(ElementType type, int to, ElementType as) const {
  return memories_of(all(before_, state_of(to, as)), type);
}

std::vector<int> Spread::sources_in_any_type(int to, ElementType as) const {
  return memories_of(all(before_, state_of(to, as)), std::nullopt);
}

std::vector<int> Spread::targets(int from, ElementType type, ElementType as) const {
  return memories_of(all(next_, state_of(from, type)), as);
}

}  // namespace accord
