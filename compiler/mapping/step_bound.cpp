#include "compiler/mapping/step_bound.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

/// Least cycles of one instruction: its interval, and a compute unit's reads of operands whose places are wired.
std::int64_t chunk_cycles(const Machine& machine, const Match& match, const std::vector<std::int64_t>& sizes) {
  const Unit& unit = machine.architecture.units[match.unit];
  const Capability& capability = machine.capability(match);
  std::vector<std::int64_t> values = sizes;
  for (const auto& operand : capability.operands) {
    if (operand.held) values.push_back(0);
  }
  const std::int64_t interval = unit.period.cycles(std::max<std::int64_t>(capability.interval.evaluate(values), 0));
  if (unit.kind == UnitKind::mover) return interval;
  return std::max(interval, port_cycles(machine.architecture, capability, sizes));
}

/// How many units share a step's work.
std::int64_t units_of(const Machine& machine, const StatementPlan& step, std::int64_t most) {
  if (most == 1) return 1;
  return std::min(most,
                  static_cast<std::int64_t>(machine.elements.alike(step.match.unit, step.match.capability).size()));
}

/// Cycles that the off-chip bytes of the movers' operands need beside their instructions.
std::int64_t moved_cycles(const Machine& machine, const Mapping& mapping, std::int64_t units) {
  const StatementPlan& main = mapping.steps[0];
  const Unit& unit = machine.architecture.units[main.match.unit];
  if (unit.kind != UnitKind::mover || unit.link < 0) return 0;
  std::int64_t most = 0;
  for (const auto& use : mapping.uses) {
    if (use.step != 0 || use.depth != 0) continue;
    std::int64_t points = bytes(use.type);
    for (const auto& index : use.access.indices) points *= least_values(index, mapping.extent);
    const double width =
        bytes_per_cycle(machine.architecture.links[unit.link]) * static_cast<double>(units_of(machine, main, units));
    most = std::max(most, static_cast<std::int64_t>(static_cast<double>(points) / width));
  }
  return most;
}

}  // namespace

std::int64_t step_bound(const Machine& machine, const StatementPlan& main, const std::vector<std::int64_t>& extents,
                        std::int64_t units) {
  const RunLimits& limits = *machine.limits.run(main.match.unit, main.match.capability);
  const std::size_t dims = main.chains.size();
  std::vector<std::int64_t> extent(dims, 1);
  std::int64_t looped = 1;
  for (std::size_t it = 0; it < extents.size(); ++it) {
    const auto& operands = main.match.operands;
    const bool occurs = std::any_of(operands.begin(), operands.end(), [&](const OperandMatch& operand) {
      return operand.kind == OperandMatch::Kind::access && depends(operand.access, static_cast<int>(it));
    });
    if (occurs) looped *= extents[it];
  }
  for (std::size_t d = 0; d < dims; ++d) {
    for (const int it : main.chains[d]) extent[d] *= extents[it];
    looped /= extent[d];
  }
  std::int64_t total = 0, instructions = 0;
  std::vector<std::int64_t> sizes(dims);
  for (std::size_t c = 0; c < std::size_t{1} << dims; ++c) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dims && count > 0; ++d) {
      const std::int64_t maximum = std::max<std::int64_t>(limits.dims[d].maximum, 1);
      const bool rest = (c >> d & 1) != 0;
      sizes[d] = rest ? extent[d] % maximum : maximum;
      count *= rest ? (sizes[d] > 0 ? 1 : 0) : extent[d] / maximum;
    }
    instructions += count;
    if (count > 0) total += count * chunk_cycles(machine, main.match, sizes);
  }
  const std::int64_t width = std::max(machine.architecture.controller.issue_width, 1);
  const std::int64_t sharing = units_of(machine, main, units);
  return std::max((total * looped + sharing - 1) / sharing, instructions * looped / width);
}

std::int64_t main_bound(const Machine& machine, const Mapping& mapping, std::int64_t units) {
  return std::max(step_bound(machine, mapping.steps[0], mapping.extent, units), moved_cycles(machine, mapping, units));
}

std::int64_t compute_bound(const Machine& machine, const Mapping& mapping, std::int64_t units) {
  std::map<int, std::int64_t> busy;  // a unit does its steps one after another
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    busy[mapping.steps[s].match.unit] +=
        s == 0 ? main_bound(machine, mapping, units) : step_bound(machine, mapping.steps[s], mapping.extent, units);
  }
  std::int64_t most = 0;
  for (const auto& [unit, cycles] : busy) most = std::max(most, cycles);
  return most;
}

std::int64_t least_values(const AffineIndex& index, const std::vector<std::int64_t>& extents) {
  auto terms = index.terms;
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::int64_t values = 1, span = 1;
  for (const auto& [it, coefficient] : terms) {
    values = coefficient >= span ? values * extents[it] : values + extents[it] - 1;
    span += std::abs(coefficient) * (extents[it] - 1);
  }
  return values;
}

}  // namespace accord
