#include "compiler/mapping/opening.h"

#include <algorithm>

#include "archdsl/tensor/parse.h"

namespace accord {
namespace {

bool same_operands(const Capability& a, const Capability& b) {
  for (std::size_t o = 0; o < a.operands.size(); ++o) {
    const CapabilityOperand &one = a.operands[o], &other = b.operands[o];
    if (one.memory != other.memory || one.held != other.held || one.steps != other.steps) return false;
    const Operand &named = a.program.operands[o], &others = b.program.operands[o];
    if (named.name != others.name || named.type != others.type) return false;
  }
  return true;
}

bool does_the_same(const Capability& opening, const Capability& capability) {
  if (opening.operands.size() != capability.operands.size() || opening.dims.size() != capability.dims.size())
    return false;
  if (!std::ranges::equal(opening.dims, capability.dims, {}, &CapabilityDim::name, &CapabilityDim::name)) return false;
  const auto last = [](const Capability& c) { return to_string(c.program, c.program.statements.back()); };
  return same_operands(opening, capability) && last(opening) == last(capability);
}

}  // namespace

std::optional<double> initial_value(const Capability& capability) {
  const auto& statements = capability.program.statements;
  if (statements.size() != 2 || statements[0].reduction != Reduction::assign) return std::nullopt;
  return statements[0].target == statements[1].target ? constant_of(*statements[0].value) : std::nullopt;
}

bool begins_with(const Work& work, const Statement& start, double number) {
  const auto value = constant_of(*start.value);
  const double least = lowest(work.program.operands[start.target.operand].type);
  return value && std::max(*value, least) == std::max(number, least);
}

int opening_capability(const Architecture& architecture, const Limits& limits, int unit, int capability) {
  const auto& capabilities = architecture.units[unit].capabilities;
  const RunLimits* needed = limits.run(unit, capability);
  if (needed == nullptr || capabilities[capability].program.statements.size() != 1) return -1;
  for (int c = 0; c < std::ssize(capabilities); ++c) {
    if (!initial_value(capabilities[c]) || !does_the_same(capabilities[c], capabilities[capability])) continue;
    const RunLimits* there = limits.run(unit, c);
    if (there != nullptr && covers(*there, *needed)) return c;
  }
  return -1;
}

}  // namespace accord
