#include "compiler/mapping/opening.h"

#include <algorithm>

#include "archdsl/tensor/parse.h"
#include "compiler/mapping/candidates.h"

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

std::vector<int> opening_capabilities(const Architecture& architecture, const Limits& limits, int unit,
                                      int capability) {
  const auto& capabilities = architecture.units[unit].capabilities;
  std::vector<int> found;
  if (capabilities[capability].program.statements.size() != 1) return found;
  for (int c = 0; c < std::ssize(capabilities); ++c) {
    if (!initial_value(capabilities[c]) || !does_the_same(capabilities[c], capabilities[capability])) continue;
    const RunLimits *there = limits.run(unit, c), *needed = limits.run(unit, capability);
    if (there != nullptr && needed != nullptr && covers(*there, *needed)) found.push_back(c);
  }
  return found;
}

int opening_of(const Machine& machine, const StatementPlan& step) {
  if (step.opening < 0) return -1;
  return machine.elements.openings(step.match.unit, step.match.capability)[static_cast<std::size_t>(step.opening)];
}

Match beginning_match(const Machine& machine, const StatementPlan& step) {
  Match match = step.match;
  if (step.opening >= 0) match.capability = opening_of(machine, step);
  return match;
}

namespace {

/// Whether each argument of the one holds all that the other's does.
bool reaches_as_far(const Mnemonic& one, const Mnemonic& other) {
  const auto bits = [](const Mnemonic& mnemonic, const Binding& binding) {
    return binding.field < 0 ? 0 : mnemonic.fields[static_cast<std::size_t>(binding.field)].bits;
  };
  return std::ranges::equal(one.arguments, other.arguments, [&](const Binding& a, const Binding& b) {
    return a.base == b.base && a.unit == b.unit && a.bias == b.bias && bits(one, a) >= bits(other, b);
  });
}

using Chunk = std::vector<std::int64_t>;

/// What instructions of the step count of each dim: the most they can, as much as there is, and what remains.
std::vector<Chunk> chunks_of(const Work& work, const StatementPlan& step, const RunLimits& limits) {
  Chunk most, whole, rest;
  for (std::size_t d = 0; d < step.chains.size(); ++d) {
    std::int64_t points = 1;
    for (const int it : step.chains[d]) points *= work.program.iterators[it].extent;
    most.push_back(limits.dims[d].maximum);
    whole.push_back(std::min(points, most.back()));
    rest.push_back(points % most.back() == 0 ? whole.back() : points % most.back());
  }
  return {most, whole, rest};
}

}  // namespace

bool opens_as_well(const Machine& machine, const Work& work, const StatementPlan& step) {
  const int unit = step.match.unit, number = opening_of(machine, step);
  const RunLimits &own = *machine.limits.run(unit, step.match.capability), &others = *machine.limits.run(unit, number);
  const auto& mnemonics = machine.architecture.isa.mnemonics;
  if (!reaches_as_far(mnemonics[others.mnemonic], mnemonics[own.mnemonic])) return false;
  const Capability& capability = machine.capability(step.match);
  const Capability& opening = machine.architecture.units[unit].capabilities[number];
  const auto held = std::ranges::count_if(capability.operands, &CapabilityOperand::held);
  const auto no_slower = [&](const Chunk& chunk, int loads) {
    Chunk values = chunk;
    values.insert(values.end(), static_cast<std::size_t>(held), loads);
    const auto is = [&](auto part) { return (opening.*part).evaluate(values) <= (capability.*part).evaluate(values); };
    return is(&Capability::interval) && is(&Capability::start) && is(&Capability::drain);
  };
  return std::ranges::all_of(chunks_of(work, step, own),
                             [&](const Chunk& chunk) { return no_slower(chunk, 0) && no_slower(chunk, 1); });
}

}  // namespace accord
