#include "compiler/mapping/enumerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/mapping/step_bound.h"

namespace accord {

bool Enumerator::may_count_all(const Match& match, int d, const std::vector<int>& chain) const {
  const Capability& capability = machine_.capability(match);
  return std::ranges::all_of(chain, [&](int it) { return may_count(work_, capability, match, d, it); });
}

/// Whether the capability's wires to the accumulator, if dim `d` has any, step as the main one's dim does; -1: none.
bool Enumerator::same_wires(const Mapping& mapping, const Match& match, int d, int main_dim) const {
  const Capability& capability = machine_.capability(match);
  const Capability& main = machine_.capability(mapping.steps[0].match);
  const int target = main.program.statements.back().target.operand;
  for (std::size_t o = 0; o < match.operands.size(); ++o) {
    const OperandMatch& operand = match.operands[o];
    if (operand.kind != OperandMatch::Kind::access) continue;
    if (operand.access.operand != statement(roles_.main).target.operand) continue;
    const std::int64_t wired = wired_step(capability, static_cast<int>(o), d);
    if (wired != 0 && wired != wired_step(main, target, main_dim)) return false;
  }
  return true;
}

/// Chains of an element-wise step: its dims count what the accumulator's layout counts for the main step's dims.
std::vector<std::vector<int>> Enumerator::follow(const Mapping& mapping, const Match& match) const {
  const StatementPlan& main = mapping.steps[0];
  std::vector<std::vector<int>> chains(machine_.capability(match).dims.size());
  std::vector<bool> taken(main.chains.size(), false);
  const Access& target = machine_.capability(main.match).program.statements.back().target;
  for (std::size_t position = target.indices.size(); position-- > 0;) {
    for (const auto& term : target.indices[position].terms) {
      const auto& chain = main.chains[term.first];
      for (int d = static_cast<int>(chains.size()); !chain.empty() && d-- > 0;) {
        if (!chains[d].empty() || taken[term.first] || !may_count_all(match, d, chain)) continue;
        if (!same_wires(mapping, match, d, term.first)) continue;
        chains[d] = chain;
        taken[term.first] = true;
      }
    }
  }
  return chains;
}

/// Gives dims that are left one iterator each of those of the result that the main step loops over, the last first;
/// such as count several at least, `must`, even of one value. Whether there were any.
bool Enumerator::fill(const Mapping& mapping, const Match& match, bool must,
                      std::vector<std::vector<int>>& chains) const {
  const auto& dims = machine_.limits.run(match.unit, match.capability)->dims;
  const auto is_counted = [](const std::vector<std::vector<int>>& all, int it) {
    return std::ranges::any_of(all, [&](const auto& chain) { return std::ranges::count(chain, it) != 0; });
  };
  bool filled = false;
  for (const std::int64_t least : {2, 1}) {
    if (least == 1 && !must) break;
    for (int d = 0; d < std::ssize(chains); ++d) {
      if ((std::max(dims[d].multiple, dims[d].minimum) > 1) != must) continue;
      for (int it = static_cast<int>(work_.program.iterators.size()); chains[d].empty() && it-- > 0;) {
        if (work_.program.iterators[it].extent < least || !depends(statement(roles_.main).target, it)) continue;
        if (is_counted(mapping.steps[0].chains, it) || is_counted(chains, it)) continue;
        if (!may_count_all(match, d, {it}) || !same_wires(mapping, match, d, -1)) continue;
        chains[d] = {it};
        filled = true;
      }
    }
  }
  return filled;
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
/// accumulator, each with loops around in the dims that are left and without: those on the accumulator's memory first,
/// the quickest first.
std::vector<StatementPlan> Enumerator::element_wise(const Mapping& mapping, int index) {
  const Matches& matches = matches_of(index);
  std::vector<std::int64_t> extent;
  for (const auto& it : work_.program.iterators) extent.push_back(it.extent);
  std::vector<std::pair<std::pair<bool, std::int64_t>, StatementPlan>> found;
  for (const std::size_t m : nearest(mapping, matches)) {
    const Match& match = matches.found[m];
    if (match.initialises || machine_.limits.run(match.unit, match.capability) == nullptr) continue;
    StatementPlan plan{index, match, follow(mapping, match)};
    fill(mapping, match, true, plan.chains);
    if (!keeps_layout(mapping, plan)) continue;
    const bool apart = !reaches_accumulator(mapping, match);
    StatementPlan filled = plan;
    if (fill(mapping, match, false, filled.chains) && keeps_layout(mapping, filled))
      found.emplace_back(std::pair(apart, step_bound(machine_, filled, extent)), std::move(filled));
    found.emplace_back(std::pair(apart, step_bound(machine_, plan, extent)), std::move(plan));
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<StatementPlan> steps;
  for (auto& [cycles, plan] : found) steps.push_back(std::move(plan));
  return steps;
}

}  // namespace accord
