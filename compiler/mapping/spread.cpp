#include "compiler/mapping/spread.h"

#include <algorithm>
#include <array>

namespace accord {
namespace {

constexpr std::array types = {ElementType::i4,   ElementType::i8,   ElementType::u8,      ElementType::i16,
                              ElementType::i32,  ElementType::i64,  ElementType::fp8e4m3, ElementType::fp8e5m2,
                              ElementType::fp16, ElementType::bf16, ElementType::fp32};

}  // namespace

bool Spread::reaches(int from_memory, ElementType type, int to, ElementType as) const {
  return from({from_memory, type}).count({to, as}) != 0;
}

bool Spread::reaches_in_any_type(int from_memory, int to, ElementType as) const {
  return std::any_of(types.begin(), types.end(), [&](ElementType any) { return reaches(from_memory, any, to, as); });
}

const std::set<Spread::State>& Spread::from(State state) const {
  const auto [it, fresh] = known_.try_emplace(state);
  if (fresh) follow(state, it->second);
  return it->second;
}

void Spread::follow(State state, std::set<State>& seen) const {
  if (!seen.insert(state).second || architecture_.memories[state.first].off_chip) return;
  for (const auto& unit : architecture_.units) {
    for (const auto& route : unit.routes) {
      if (route.source != state.first) continue;
      follow({route.target, state.second}, seen);
      for (const int also : route.also) follow({also, state.second}, seen);
    }
    for (const auto& capability : unit.capabilities) follow(capability, state, seen);
  }
}

void Spread::follow(const Capability& capability, State state, std::set<State>& seen) const {
  const int target = capability.program.statements.back().target.operand;
  const int memory = capability.operands[target].memory;
  if (memory < 0) return;
  const auto type_of = [&](std::size_t o) { return capability.program.operands[o].type; };
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    if (capability.operands[o].memory == state.first && type_of(o) == state.second) {
      follow({memory, type_of(static_cast<std::size_t>(target))}, seen);
    }
  }
}

}  // namespace accord
