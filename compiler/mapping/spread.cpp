#include "compiler/mapping/spread.h"

namespace accord {
namespace {

constexpr std::size_t types = static_cast<std::size_t>(ElementType::fp32) + 1;

std::size_t state_of(int memory, std::size_t type) { return static_cast<std::size_t>(memory) * types + type; }

std::size_t state_of(int memory, ElementType type) { return state_of(memory, static_cast<std::size_t>(type)); }

}  // namespace

Spread::Spread(const Architecture& architecture)
    : architecture_(architecture), next_(architecture.memories.size() * types), known_(next_.size()) {
  for (const Unit& unit : architecture.units) {
    add_routes(unit);
    for (const Capability& capability : unit.capabilities) add_capability(capability);
  }
}

void Spread::add_routes(const Unit& unit) {
  for (const Route& route : unit.routes) {
    for (std::size_t type = 0; type < types; ++type) {
      auto& next = next_[state_of(route.source, type)];
      next.push_back(state_of(route.target, type));
      for (const int also : route.also) next.push_back(state_of(also, type));
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
    if (capability.operands[o].memory >= 0) next_[state(o)].push_back(state(target));
  }
}

const std::vector<bool>& Spread::from(State state) const {
  std::vector<bool>& seen = known_[state];
  if (!seen.empty()) return seen;
  seen.resize(next_.size());
  seen[state] = true;
  std::vector<State> open = {state};
  while (!open.empty()) {
    const State at = open.back();
    open.pop_back();
    if (architecture_.memories[at / types].off_chip) continue;
    for (const State next : next_[at]) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

bool Spread::reaches(int from_memory, ElementType type, int to, ElementType as) const {
  return from(state_of(from_memory, type))[state_of(to, as)];
}

bool Spread::reaches_in_any_type(int from_memory, int to, ElementType as) const {
  for (std::size_t type = 0; type < types; ++type) {
    if (from(state_of(from_memory, type))[state_of(to, as)]) return true;
  }
  return false;
}

}  // namespace accord
