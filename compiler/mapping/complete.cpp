#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "compiler/mapping/enumerator.h"
#include "compiler/mapping/layout.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/shared_reads.h"

namespace accord {
namespace {

/// The greatest step that an iterator makes through what the instruction reads or writes of the layer's activations.
std::int64_t step_in_memory(const Work& work, const Homes& homes, const Match& match, int iterator) {
  for (const auto& operand : match.operands) {
    if (operand.kind != OperandMatch::Kind::access) continue;
    const WorkOperand& at = work.operands[operand.access.operand];
    if (at.constant) continue;  // is written as the mapping reads it
    std::int64_t step = 0;
    for (std::size_t m = 0; m < operand.access.indices.size(); ++m) {
      const std::int64_t stride = at.tensor == no_tensor ? 1 : homes[at.tensor].strides[m];
      for (const auto& [it, coefficient] : operand.access.indices[m].terms) {
        if (it == iterator) step = std::max(step, coefficient * stride);
      }
    }
    if (step > 0) return step;
  }
  return 0;
}

/// Orders a chain from the greatest to the least step, so that fused iterators follow memory.
void order_chain(const Work& work, const Homes& homes, const Match& match, std::vector<int>& chain) {
  const auto key = [&](int iterator) { return step_in_memory(work, homes, match, iterator); };
  std::stable_sort(chain.begin(), chain.end(), [&](int a, int b) { return key(a) > key(b); });
}

}  // namespace

/// Makes each chain's count a multiple of what its dim asks for: of its iterators the one grows that adds the fewest
/// points, the innermost of equals. What one step adds may be too much for another: until all agree. Each iterator
/// comes in `multiples` of its own besides.
bool Enumerator::pad_extents(Mapping& mapping, const std::vector<std::int64_t>& multiples) {
  mapping.extent.clear();
  for (const auto& it : work_.program.iterators) mapping.extent.push_back(it.extent);
  std::vector<std::int64_t> before;
  while (before != mapping.extent) {
    before = mapping.extent;
    for (std::size_t it = 0; it < before.size(); ++it) mapping.extent[it] = round_up(mapping.extent[it], multiples[it]);
    if (!pad_once(mapping)) return false;
  }
  return true;
}

/// Multiples in which iterators come where rows of tensors are to be whole runs of the transfers that bring them.
std::vector<std::int64_t> Enumerator::whole_runs(const Mapping& mapping) const {
  std::vector<std::int64_t> multiples(work_.program.iterators.size(), 1);
  for (const Use& use : mapping.uses) {
    if (use.filled || use.hops.empty()) continue;
    const WorkOperand& operand = work_.operands[use.access.operand];
    if (operand.constant && use.role != UseRole::start) continue;  // lies as its transfers want it
    const Home& home = homes_[operand.tensor];
    if (home.order.empty()) continue;  // one number
    const AffineIndex& innermost = use.access.indices[home.order.back()];
    if (innermost.terms.size() != 1 || innermost.terms[0].second != 1) continue;
    for (const Hop& hop : use.hops) {
      const std::int64_t unit = machine_.limits.route(hop.unit, hop.route)->run_unit;
      std::int64_t& multiple = multiples[innermost.terms[0].first];
      multiple = std::lcm(multiple, unit / std::gcd(unit, bytes(use.type)));
    }
  }
  return multiples;
}

bool Enumerator::pad_once(Mapping& mapping) {
  for (const auto& step : mapping.steps) {
    const Capability& capability = machine_.capability(step.match);
    const RunLimits& limits = *machine_.limits.run(step.match.unit, step.match.capability);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      const CapabilityDim& dim = limits.dims[d];
      const std::int64_t unit = std::max(dim.multiple, dim.minimum);
      if (unit == 1) continue;
      if (step.chains[d].empty()) {
        reason(
            fmt::format("{} takes at least {} of `{}`, and this assignment has one", capability.name, unit, dim.name));
        return false;
      }
      pad_chain(step.chains[d], unit, mapping.extent);
    }
  }
  return true;
}

bool Enumerator::padding_adds_nothing(const Mapping& mapping) {
  const auto counts = padding_that_counts(work_, mapping);
  if (!counts) return true;
  const auto& [step, it] = *counts;
  reason(fmt::format("{} comes in multiples that would add other elements to the sum over {}",
                     machine_.capability(step->match).name, work_.program.iterators[it].name));
  return false;
}

/// Why the capability, which initialises its target, does not do the work; and why it begins no other's sums, should
/// one do the same without initialising.
std::string Enumerator::takes_several(const Match& match) const {
  const auto& capabilities = machine_.architecture.units[match.unit].capabilities;
  const Capability& own = capabilities[match.capability];
  const std::string text = fmt::format(
      "{} sets its target before it reduces, and takes several instructions for what this reduces", own.name);
  std::string why;
  for (int c = 0; c < std::ssize(capabilities); ++c) {
    if (std::ranges::count(machine_.elements.openings(match.unit, c), match.capability) != 0) return text;
    if (initial_value(capabilities[c]) || capabilities[c].operands.size() != own.operands.size()) continue;
    const auto same = [&](const Match& other) { return other.unit == match.unit && other.capability == c; };
    if (std::ranges::none_of(matches_.at(roles_.main).found, same)) continue;
    why += fmt::format(
        ", and begins none of {}'s sums: its expression is to be written as the other's, with the same names, steps, "
        "held operands and order of dims, and its dims and addresses are to be what the other's can be",
        capabilities[c].name);
  }
  return text + why;
}

/// Whether one instruction of a capability that initialises its target can see the whole reduction.
bool Enumerator::reduces_in_one(const Mapping& mapping) {
  const StatementPlan& main = mapping.steps.front();
  if (!main.match.initialises) return true;
  const RunLimits& limits = *machine_.limits.run(main.match.unit, main.match.capability);
  std::vector<bool> counted(mapping.extent.size(), false);
  bool whole = true;
  for (std::size_t d = 0; d < main.chains.size(); ++d) {
    std::int64_t reduced = 1;
    for (const int it : main.chains[d]) {
      counted[static_cast<std::size_t>(it)] = true;
      if (is_reduction(work_, mapping, it)) reduced *= mapping.extent[it];
    }
    whole = whole && reduced <= limits.dims[d].maximum;
  }
  for (const int it : iterators_of(statement(roles_.main))) {
    whole = whole && (counted[it] || mapping.extent[it] == 1 || !is_reduction(work_, mapping, it));
  }
  if (!whole) reason(takes_several_);
  return whole;
}

/// Padded lanes would reach into the next block.
bool Enumerator::keeps_blocks(const Mapping& mapping) const {
  for (int it = 0; it < std::ssize(work_.program.iterators); ++it) {
    const Blocks* blocks = lanes_of(it);
    if (blocks == nullptr || work_.program.iterators[blocks->block].extent == 1) continue;
    if (mapping.extent[it] != blocks->lanes) return false;
  }
  return true;
}

void Enumerator::complete(const Match& match, std::vector<std::vector<int>> chains) {
  for (auto& chain : chains) order_chain(work_, homes_, match, chain);
  Mapping mapping;
  mapping.form = form_;
  mapping.steps.push_back({roles_.main, match, std::move(chains)});
  mapping.reduces_at_once = match.initialises;
  complete_after(mapping, 0);
}

/// With the quickest capabilities for the statements after the main one with which there is an assignment. Where others
/// than this statement's are to blame its further capabilities are not tried: they fail alike.
Blame Enumerator::complete_after(const Mapping& mapping, std::size_t next) {
  if (next == roles_.after.size()) return add_begun(mapping);
  const int index = roles_.after[next];
  const std::vector<StatementPlan> steps = element_wise(mapping, index);
  const Blame own = blamed(mapping.steps.size());
  Blame others = blamed(0);
  for (const StatementPlan& step : steps) {
    Mapping longer = mapping;
    longer.steps.push_back(step);
    const Blame blame = complete_after(longer, next + 1);
    if ((blame & own) == 0) return blame;
    others |= blame & ~own;
  }
  if (!steps.empty()) return others;
  const int op = work_.operators[work_.operator_of[index]];
  reason(fmt::format("no capability does its {} ({})", network_.operators[op].type,
                     fmt::join(texts_of(matches_of(index).rejections), "; ")));
  return others;
}

/// With extents as they are or as dims ask for, and once more in whole runs of transfers where these count in units.
Blame Enumerator::add_padded(const Mapping& mapping) {
  const std::vector<std::int64_t> as_is(work_.program.iterators.size(), 1);
  Mapping extended = mapping;
  if (const Blame blame = extend(extended, as_is)) return blame;
  add(extended);
  const auto runs = whole_runs(extended);
  const auto is_whole = [](std::int64_t extent, std::int64_t multiple) { return extent % multiple == 0; };
  if (std::ranges::equal(extended.extent, runs, is_whole)) return nobody;
  Mapping whole = mapping;
  if (extend(whole, runs) == nobody) add(whole);
  return nobody;
}

/// Whether the steps' instructions can count the work, padded as their dims ask for.
bool Enumerator::counts(Mapping& mapping, const std::vector<std::int64_t>& multiples) {
  return pad_extents(mapping, multiples) && keeps_blocks(mapping) && padding_adds_nothing(mapping) &&
         reduces_in_one(mapping);
}

/// Gives the mapping extents and uses.
Blame Enumerator::extend(Mapping& mapping, const std::vector<std::int64_t>& multiples) {
  if (!counts(mapping, multiples)) {
    mapping.steps.resize(1);  // what one step pads, more pad no less
    return counts(mapping, multiples) ? everybody : blamed(0);
  }
  if (const Blame blame = add_uses(mapping)) return blame;
  if (const auto hop = misled(machine_, mapping)) {
    reason(text_of_multicast(machine_.architecture, *hop) + ", of which one holds something else");
    return everybody;
  }
  for (const auto& use : mapping.uses) mapping.levels = std::max(mapping.levels, use.depth);
  mapping.rolls = machine_.rolls;
  return nobody;
}

/// With windows whose elements stay together on chip, where there are any, and without.
void Enumerator::add(Mapping mapping) {
  bool windows = false;
  for (auto& use : mapping.uses) {
    use.windowed = use.role == UseRole::input && !use.filled &&
                   std::ranges::any_of(use.access.indices,
                                       [&](const AffineIndex& index) { return is_window(index, mapping.extent); });
    windows |= use.windowed;
  }
  add_with_ways(mapping);
  if (!windows) return;
  for (auto& use : mapping.uses) use.windowed = false;
  add_with_ways(mapping);
}

void Enumerator::add_with_ways(const Mapping& mapping) {
  found_.push_back(mapping);
  if (leaves_in_place(machine_.capability(mapping.steps[0].match))) return;
  std::ranges::move(longer_ways_.of(mapping), std::back_inserter(found_));
}

}  // namespace accord
