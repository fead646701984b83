#include "compiler/mapping/enumerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/mapping/step_bound.h"

namespace accord {

/// Chains of an element-wise step: its dims count what the accumulator's layout counts for the main step's dims.
std::vector<std::vector<int>> Enumerator::follow(const Mapping& mapping, const Match& match) const {
  const Capability& capability = machine_.capability(match);
  const StatementPlan& main = mapping.steps[0];
  const Capability& main_capability = machine_.capability(main.match);
  std::vector<std::vector<int>> chains(capability.dims.size());
  std::vector<bool> taken(main.chains.size(), false);
  auto accepts = [&](std::size_t d, const std::vector<int>& chain) {
    return !chain.empty() && std::all_of(chain.begin(), chain.end(), [&](int it) {
      return may_count(work_, capability, match, static_cast<int>(d), it);
    });
  };
  const Access& target = main_capability.program.statements.back().target;
  const int accumulator = statement(roles_.main).target.operand;
  // Where both are wired to the accumulator, their wires must step alike.
  auto same_wires = [&](std::size_t d, int main_dim) {
    for (std::size_t o = 0; o < match.operands.size(); ++o) {
      const OperandMatch& operand = match.operands[o];
      if (operand.kind != OperandMatch::Kind::access || operand.access.operand != accumulator) continue;
      const std::int64_t wired = wired_step(capability, static_cast<int>(o), static_cast<int>(d));
      if (wired != 0 && wired != wired_step(main_capability, target.operand, main_dim)) return false;
    }
    return true;
  };
  for (std::size_t position = target.indices.size(); position-- > 0;) {
    for (const auto& term : target.indices[position].terms) {
      const auto& chain = main.chains[term.first];
      for (std::size_t d = capability.dims.size(); d-- > 0;) {
        if (chains[d].empty() && !taken[term.first] && accepts(d, chain) && same_wires(d, term.first)) {
          chains[d] = chain;
          taken[term.first] = true;
        }
      }
    }
  }
  // Output iterators that the main step loops over may still fill a dim that is left; such of one, a dim that counts
  // several at least.
  for (const std::int64_t least : {2, 1}) {
    for (std::size_t d = 0; d < capability.dims.size(); ++d) {
      const CapabilityDim& dim = machine_.limits.run(match.unit, match.capability)->dims[d];
      if (!chains[d].empty() || (least == 1 && std::max(dim.multiple, dim.minimum) == 1)) continue;
      for (std::size_t it = 0; it < work_.program.iterators.size(); ++it) {
        const std::vector<int> chain = {static_cast<int>(it)};
        const auto counts = [&](const std::vector<int>& c) { return std::ranges::find(c, chain.front()) != c.end(); };
        const bool used = std::ranges::any_of(main.chains, counts), used_here = std::ranges::any_of(chains, counts);
        if (!used && !used_here && work_.program.iterators[it].extent >= least &&
            depends(statement(roles_.main).target, static_cast<int>(it)) && accepts(d, chain) && same_wires(d, -1)) {
          chains[d] = chain;
        }
      }
    }
  }
  return chains;
}

/// Where the step's capability is wired to the accumulator, it must step as the main one's wires laid it out.
bool Enumerator::keeps_layout(const Mapping& mapping, const StatementPlan& plan) const {
  const StatementPlan& main = mapping.steps[0];
  const Capability& main_capability = machine_.capability(main.match);
  const int target = main_capability.program.statements.back().target.operand;
  const Access& laid = access_of(main_capability, target);
  auto laid_with = [&](const std::vector<int>& chain, std::int64_t bytes) {
    for (std::size_t p = 0; p < laid.indices.size(); ++p) {
      for (const auto& [dim, coefficient] : laid.indices[p].terms) {
        const Step& step = main_capability.operands[target].steps[p];
        const bool wired = step.kind == Step::Kind::fixed;
        if (main.chains[dim] == chain && wired && step.bytes * coefficient == bytes) return true;
      }
    }
    return false;
  };
  const Capability& capability = machine_.capability(plan.match);
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const OperandMatch& match = plan.match.operands[o];
    const bool accumulator = capability.operands[o].memory >= 0 && match.kind == OperandMatch::Kind::access &&
                             match.access.operand == statement(roles_.main).target.operand;
    if (!accumulator) continue;
    const Access& pattern = access_of(capability, static_cast<int>(o));
    for (std::size_t p = 0; p < pattern.indices.size(); ++p) {
      const Step& step = capability.operands[o].steps[p];
      if (step.kind == Step::Kind::free) continue;
      for (const auto& [dim, coefficient] : pattern.indices[p].terms) {
        if (!plan.chains[dim].empty() && !laid_with(plan.chains[dim], step.bytes * coefficient)) return false;
      }
    }
  }
  return true;
}

/// Whether the step's capability finds the accumulator where the main one leaves it.
bool Enumerator::reaches_accumulator(const Mapping& mapping, const Match& match) const {
  const Capability& main = machine_.capability(mapping.steps[0].match);
  const int memory = main.operands[main.program.statements.back().target.operand].memory;
  const Capability& capability = machine_.capability(match);
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const OperandMatch& operand = match.operands[o];
    const bool accumulator =
        operand.kind == OperandMatch::Kind::access && operand.access.operand == statement(roles_.main).target.operand;
    if (accumulator && capability.operands[o].memory >= 0 && capability.operands[o].memory != memory) return false;
  }
  return true;
}

const Enumerator::Matches& Enumerator::matches_of(int statement) {
  const auto [at, fresh] = matches_.try_emplace(statement);
  Matches& matches = at->second;
  if (!fresh) return matches;
  matches.found = match_statement(machine_.architecture, work_, statement, &matches.rejections);
  std::map<std::pair<std::pair<int, int>, int>, std::vector<std::size_t>> alike;
  for (std::size_t m = 0; m < matches.found.size(); ++m) {
    const Match& match = matches.found[m];
    alike[{machine_.elements.alike(match.unit, match.capability).front(), match.way}].push_back(m);
  }
  for (auto& [first, members] : alike) matches.alike.push_back(std::move(members));
  return matches;
}

/// Of units that are alike the first that finds the accumulator, or else the first: in all else they do not differ.
/// Ascending.
std::vector<std::size_t> Enumerator::nearest(const Mapping& mapping, const Matches& matches) const {
  std::vector<std::size_t> chosen;
  for (const auto& members : matches.alike) {
    const auto reaching =
        std::ranges::find_if(members, [&](std::size_t m) { return reaches_accumulator(mapping, matches.found[m]); });
    chosen.push_back(reaching == members.end() ? members.front() : *reaching);
  }
  std::ranges::sort(chosen);
  return chosen;
}

/// The capabilities for an element-wise statement after the main one, or for its initial values, whose dims follow the
/// accumulator: those on the accumulator's memory first, the quickest first.
std::vector<StatementPlan> Enumerator::element_wise(const Mapping& mapping, int index) {
  const Matches& matches = matches_of(index);
  std::vector<std::int64_t> extent;
  for (const auto& it : work_.program.iterators) extent.push_back(it.extent);
  std::vector<std::pair<std::pair<bool, std::int64_t>, StatementPlan>> found;
  for (const std::size_t m : nearest(mapping, matches)) {
    const Match& match = matches.found[m];
    if (match.initialises || machine_.limits.run(match.unit, match.capability) == nullptr) continue;
    StatementPlan plan{index, match, follow(mapping, match)};
    if (!keeps_layout(mapping, plan)) continue;
    const std::pair cycles(!reaches_accumulator(mapping, match), step_bound(machine_, plan, extent));
    found.emplace_back(cycles, std::move(plan));
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<StatementPlan> steps;
  for (auto& [cycles, plan] : found) steps.push_back(std::move(plan));
  return steps;
}

}  // namespace accord
