#include "compiler/mapping/divisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/shared_reads.h"

namespace accord {
namespace {

constexpr std::size_t most_loops = 3;  // loops that one division cuts
constexpr std::size_t most_divisions = 4096;
constexpr std::size_t most_places = 4;  // of one division

/// Finds elements for the parts of a mapping's divisions.
class ElementChoice {
 public:
  ElementChoice(const Machine& machine, const Mapping& mapping, std::int64_t elements)
      : machine_(machine), divided_(mapping), elements_(elements) {
    for (const Use& use : mapping.uses) {
      for (const Hop& hop : use.hops) add_steps(machine.architecture.units[hop.unit].routes[hop.route].also.size() + 1);
    }
  }

  /// One after the other, or, where multicasts would then bring some part what another wants, so many apart that they
  /// do not. False: no such are found.
  bool choose(Division& division) {
    std::int64_t step = 1;
    for (auto loop = division.rbegin(); loop != division.rend(); ++loop) {
      loop->step = step;
      step *= turns(divided_, *loop);
    }
    return !misleads(division) || place(division, division.size(), [] { return true; });
  }

  /// The same on other elements: spread evenly over all, which may have more links between them, or as far apart as
  /// multicasts' targets are many.
  std::vector<Division> others(const Division& division, std::int64_t parts) {
    std::vector<Division> found;
    Division now = division;
    for (auto& loop : now) loop.step *= elements_ / parts;
    if (now != division && suits(now)) found.push_back(now);
    if (machine_.multicasts.empty()) return found;
    for (const std::size_t targets : machine_.multicasts.target_counts()) add_steps(targets);
    now = division;
    place(now, now.size(), [&] {
      if (now != division) found.push_back(now);
      return found.size() == most_places;
    });
    return found;
  }

  /// A multicast that was in the way.
  const std::optional<Hop>& obstacle() const { return obstacle_; }

 private:
  /// In an array elements that a multicast reaches stand side by side, or as far apart as such others are many.
  void add_steps(std::size_t targets) {
    const auto apart = static_cast<std::int64_t>(targets);
    if (apart > 1) steps_.insert({apart, ceil_div(elements_, apart)});
  }

  /// Chooses steps of the first so many loops, those behind have theirs, until `settles` with one of the choices.
  template <typename Settles>
  bool place(Division& division, std::size_t open, const Settles& settles) {
    if (open == 0) return settles();
    std::set<std::int64_t> steps = steps_;
    for (std::size_t l = open; l < division.size(); ++l) {
      steps.insert(division[l].step * turns(divided_, division[l]));
    }
    for (const std::int64_t step : steps) {
      division[open - 1].step = step;
      const Division placed(division.begin() + static_cast<std::ptrdiff_t>(open) - 1, division.end());
      if (suits(placed) && place(division, open - 1, settles)) return true;
    }
    return false;
  }

  /// Whether each part of these loops' has an element of its own that gets what it wants.
  bool suits(const Division& loops) {
    const auto [known, fresh] = suits_.try_emplace(loops, false);
    if (!fresh) return known->second;
    divided_.spatial = loops;
    auto elements = part_elements(divided_);
    std::ranges::sort(elements);
    const bool apart = std::ranges::adjacent_find(elements) == elements.end();
    const bool there = elements.back() < static_cast<std::size_t>(elements_);
    return known->second = apart && there && !misleads(loops);
  }

  bool misleads(const Division& loops) {
    divided_.spatial = loops;
    const auto hop = misled(machine_, divided_);
    if (hop) obstacle_ = hop;
    return hop.has_value();
  }

  const Machine& machine_;
  Mapping divided_;
  const std::int64_t elements_;
  std::set<std::int64_t> steps_ = {1};
  std::map<Division, bool> suits_;
  std::optional<Hop> obstacle_;
};

/// Whether results are written only as far as the iterator goes by itself, since its padding would be others: parts of
/// it would not know how far that is.
bool ends_among_results(const Work& work, const Mapping& mapping, int iterator) {
  if (mapping.extent[iterator] <= work_of(work, mapping).program.iterators[iterator].extent) return false;
  return std::ranges::any_of(mapping.uses, [&](const Use& use) {
    const auto shares = [&](const AffineIndex& index) {
      const auto counts = [&](const auto& term) { return term.first == iterator; };
      return index.terms.size() > 1 && std::ranges::any_of(index.terms, counts);
    };
    return use.role == UseRole::output && std::ranges::any_of(use.access.indices, shares);
  });
}

class DivisionLister {
 public:
  DivisionLister(const Machine& machine, const Work& work, const Mapping& mapping, std::int64_t elements)
      : machine_(machine), mapping_(mapping), elements_(elements) {
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      const int iterator = static_cast<int>(it);
      const bool divisible = !is_reduction(work, mapping, iterator) && !ends_among_results(work, mapping, iterator);
      if (mapping.extent[it] > 1 && divisible) loops_.push_back(iterator);
    }
  }

  Divisions run() {
    visit(0, 1);
    Divisions result;
    ElementChoice choice(machine_, mapping_, elements_);
    for (Division division : found_) {
      if (choice.choose(division)) result.all.push_back(std::move(division));
    }
    if (result.all.empty()) result.obstacle = choice.obstacle();
    return result;
  }

 private:
  void visit(std::size_t loop, std::int64_t taken) {
    if (found_.size() >= most_divisions) return;
    if (loop == loops_.size()) {
      if (taken > 1) found_.insert(now_);
      return;
    }
    visit(loop + 1, taken);
    if (now_.size() == most_loops) return;
    const int it = loops_[loop];
    for (const std::int64_t part : sizes(it, elements_ / taken)) {
      now_.push_back({it, part, 1});
      visit(loop + 1, taken * turns(mapping_, now_.back()));
      now_.pop_back();
    }
  }

  /// Even parts, in what the dims that the iterator counts require, and in whole instructions.
  std::set<std::int64_t> sizes(int it, std::int64_t ways) const {
    std::int64_t least = 1, whole = 1;
    for (const auto& step : mapping_.steps) {
      const RunLimits& limits = *machine_.limits.run(step.match.unit, step.match.capability);
      for (std::size_t d = 0; d < step.chains.size(); ++d) {
        if (step.chains[d].empty() || step.chains[d].back() != it) continue;
        least = std::lcm(least, std::max(limits.dims[d].multiple, limits.dims[d].minimum));
        whole = std::max(whole, limits.dims[d].maximum / limits.dims[d].multiple * limits.dims[d].multiple);
      }
    }
    std::set<std::int64_t> result;
    const std::int64_t extent = mapping_.extent[it];
    for (std::int64_t w = 2; w <= std::min(ways, extent); ++w) {
      for (const std::int64_t unit : {least, whole}) {
        const std::int64_t part = ceil_div(ceil_div(extent, w), unit) * unit;
        if (part < extent && part % least == 0) result.insert(part);
      }
    }
    return result;
  }

  const Machine& machine_;
  const Mapping& mapping_;
  std::int64_t elements_;
  std::vector<int> loops_;
  Division now_;
  std::set<Division> found_;
};

}  // namespace

Divisions divisions(const Machine& machine, const Work& work, const Mapping& mapping, std::int64_t elements) {
  return DivisionLister(machine, work, mapping, elements).run();
}

std::vector<Division> on_other_elements(const Machine& machine, const Mapping& mapping, const Division& division,
                                        std::int64_t elements) {
  std::int64_t parts = 1;
  for (const SpatialLoop& loop : division) parts *= turns(mapping, loop);
  if (parts == elements) return {};
  return ElementChoice(machine, mapping, elements).others(division, parts);
}

std::string why_alone(const Machine& machine, const Work& work, const Mapping& mapping) {
  const auto [main, capability] = main_capability(mapping);
  const std::size_t count = machine.elements.alike(main, capability).size();
  if (count < 2 || !mapping.spatial.empty()) return "";
  const std::string not_divided =
      fmt::format("not divided over {} units like {}: ", count, machine.architecture.units[main].name);
  const std::size_t sites = machine.elements.sites(mapping).size();
  if (sites < 2) return not_divided + "the others' ways to their memories are not like its own";
  const auto hop = divisions(machine, work, mapping, static_cast<std::int64_t>(sites)).obstacle;
  if (!hop) return "";
  return fmt::format("{}{}, and no loop divides the work so that all those want the same", not_divided,
                     text_of_multicast(machine.architecture, *hop));
}

}  // namespace accord
