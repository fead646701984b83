#include "compiler/mapping/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/agreement.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/opening.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/site_tiles.h"
#include "compiler/mapping/split.h"
#include "compiler/mapping/tile_costs.h"

namespace accord {
namespace {

class Verifier {
 public:
  Verifier(const Machine& machine, const Network& network, const Work& work, const Homes& homes, const Mapping& mapping)
      : machine_(machine), network_(network), work_(work), homes_(homes), mapping_(mapping) {}

  std::string run() {
    for (const auto check : {&Verifier::loops, &Verifier::division, &Verifier::statements, &Verifier::dims,
                             &Verifier::accesses, &Verifier::padding, &Verifier::reductions, &Verifier::room}) {
      std::string wrong = (this->*check)();
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::string loops() const;
  std::string division() const;
  std::string statements() const;
  bool opens_rightly() const;
  std::string carried() const;
  std::string dims() const;
  std::string step_dims(const StatementPlan& step) const;
  std::string accesses() const;
  std::string padding() const;
  std::string reductions() const;
  std::string whole_reduction() const;
  std::string room() const;
  std::string room_of(const Mapping& part) const;
  std::int64_t outside(int level, int it) const {
    return level == 0 ? mapping_.extent[it] : mapping_.tile[level - 1][it];
  }
  bool turns(int level, int it) const { return mapping_.tile[level][it] < outside(level, it); }
  int count() const { return static_cast<int>(work_.program.iterators.size()); }
  const std::string& name(int it) const { return work_.program.iterators[it].name; }
  const Statement& statement_of(const StatementPlan& step) const { return work_.program.statements[step.statement]; }

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  const Mapping& mapping_;
};

std::string Verifier::loops() const {
  const auto levels = static_cast<std::size_t>(mapping_.levels);
  if (mapping_.levels < 1 || mapping_.tile.size() != levels || mapping_.order.size() != levels) {
    return "tiles or orders are missing";
  }
  if (mapping_.extent.size() != static_cast<std::size_t>(count())) return "extents are missing";
  for (int level = 0; level < mapping_.levels; ++level) {
    if (mapping_.tile[level].size() != static_cast<std::size_t>(count())) return "a level lacks tile sizes";
    std::vector<int> order = mapping_.order[level];
    std::sort(order.begin(), order.end());
    for (int it = 0; it < count(); ++it) {
      if (static_cast<int>(order.size()) != count() || order[it] != it) {
        return fmt::format("the order of level {} does not hold every loop once", level);
      }
      if (mapping_.tile[level][it] < 1 || mapping_.tile[level][it] > outside(level, it)) {
        return fmt::format("the tile of {} at level {} is {} in a box of {}", name(it), level, mapping_.tile[level][it],
                           outside(level, it));
      }
    }
  }
  return "";
}

/// The parts of divided work: disjoint boxes of results, each tiled from its beginning, each with an element.
std::string Verifier::division() const {
  std::int64_t parts = 1;
  std::vector<int> divided;
  for (const auto& loop : mapping_.spatial) {
    const int it = loop.iterator;
    if (it < 0 || it >= count()) return "a loop that is divided does not exist";
    if (std::find(divided.begin(), divided.end(), it) != divided.end()) return name(it) + " is divided twice";
    divided.push_back(it);
    if (is_reduction(work_, mapping_, it)) return "the sum over " + name(it) + " is divided";
    if (loop.part < mapping_.tile[0][it] || loop.part > mapping_.extent[it]) {
      return fmt::format("{} is divided into parts of {}", name(it), loop.part);
    }
    parts *= ceil_div(mapping_.extent[it], loop.part);
  }
  const std::size_t elements = parts > 1 ? machine_.elements.sites(mapping_).size() : 1;
  if (parts > static_cast<std::int64_t>(elements)) return "work is divided into more parts than there are elements";
  const auto chosen = part_elements(mapping_);
  if (std::ranges::any_of(chosen, [&](std::size_t element) { return element >= elements; })) {
    return "a part has no element";
  }
  if (std::set(chosen.begin(), chosen.end()).size() != chosen.size()) return "parts have the same element";
  SiteTiles tiles(machine_.architecture, mapping_);
  if (parts > 1 && !std::ranges::all_of(part_sites(machine_, mapping_), [&](const Site* s) { return tiles.add(*s); })) {
    return "parts keep tiles of different operands in one memory";
  }
  const auto hop = misled(machine_, mapping_);
  return hop ? text_of_multicast(machine_.architecture, *hop) + ", which want different bytes" : "";
}

std::string Verifier::statements() const {
  const auto& steps = mapping_.steps;
  if (!steps.empty() && leaves_in_place(machine_.capability(steps.front().match))) return carried();
  const bool by_use = std::ranges::any_of(mapping_.uses, [](const Use& use) { return use.role == UseRole::start; });
  const bool by_main = !steps.empty() && steps.front().match.initialises;
  const bool by_step = !steps.empty() && steps.back().statement == 0 && steps.front().statement == 1;
  const bool by_opening = !steps.empty() && steps.front().opening >= 0;
  if (by_use + by_main + by_step + by_opening > 1) return "initial values are set twice";
  if (by_opening && !opens_rightly()) return "what opens the sums sets them to another value";
  int next = by_use || by_main || by_step || by_opening ? 1 : 0;
  for (const auto& step : std::span(steps).first(steps.size() - (by_step ? 1 : 0))) {
    if (step.statement != next++) return "steps are not the statements in their order";
  }
  if (next != static_cast<int>(work_.program.statements.size())) return "a statement is not done";
  return "";
}

/// Whether the capability that begins the sums sets what the work does, of which the main one is the second statement.
bool Verifier::opens_rightly() const {
  if (mapping_.steps[0].statement != 1) return false;
  return std::ranges::all_of(part_sites(machine_, mapping_), [&](const Site* site) {
    const auto [unit, capability] = site->steps.front();
    const auto opening = static_cast<std::size_t>(mapping_.steps[0].opening);
    const auto& openings = machine_.elements.openings(unit, capability);
    if (opening >= openings.size()) return false;
    const auto number = initial_value(machine_.architecture.units[unit].capabilities[openings[opening]]);
    return number && begins_with(work_, work_.program.statements[0], *number);
  });
}

/// Tiles of the one statement's result that hold what it reads.
std::string Verifier::carried() const {
  if (mapping_.steps.size() != 1 || work_.program.statements.size() != 1) return "what is done is more than moving";
  const Statement& statement = statement_of(mapping_.steps[0]);
  if (statement.reduction != Reduction::assign || statement.value->op != ExprOp::access || looks_up(statement))
    return "what is moved changes";
  for (const Use& use : mapping_.uses) {
    const Access& meant = use.role == UseRole::start ? statement.accesses[statement.value->access] : statement.target;
    if (use.access != meant) return "another element is moved";
    if (use.type != work_.program.operands[meant.operand].type) return "elements of another type are moved";
  }
  return mapping_.uses.size() == 2 ? "" : "what is moved does not come, or go";
}

std::string Verifier::step_dims(const StatementPlan& step) const {
  const RunLimits* limits = machine_.limits.run(step.match.unit, step.match.capability);
  if (limits == nullptr) return "no instruction drives the capability";
  const Capability& capability = machine_.capability(step.match);
  if (step.chains.size() != capability.dims.size()) return "a dim has no chain";
  const auto occurring = iterators_of(statement_of(step));
  std::vector<int> seen;
  for (std::size_t d = 0; d < step.chains.size(); ++d) {
    const std::int64_t unit = std::max(limits->dims[d].multiple, limits->dims[d].minimum);
    const auto& chain = step.chains[d];
    for (const int it : chain) {
      if (std::find(seen.begin(), seen.end(), it) != seen.end()) return name(it) + " is counted twice";
      seen.push_back(it);
      if (std::find(occurring.begin(), occurring.end(), it) == occurring.end()) {
        return name(it) + " is counted where the statement does not know it";
      }
    }
    if (unit == 1) continue;
    if (chain.empty()) return fmt::format("dim {} must be at least {}", capability.dims[d].name, unit);
    // Behind the main step the others work on the sums' boxes.
    const int last = &step == &mapping_.steps.front() ? mapping_.levels - 1 : std::max(target_level(mapping_), 0);
    for (int level = -1; level <= last; ++level) {
      std::int64_t count = 1;
      for (const int it : chain) count *= level < 0 ? mapping_.extent[it] : mapping_.tile[level][it];
      if (count % unit != 0) {
        return fmt::format("dim {} comes in steps of {}, a tile counts {}", capability.dims[d].name, unit, count);
      }
    }
  }
  return "";
}

std::string Verifier::dims() const {
  for (const auto& step : mapping_.steps) {
    std::string wrong = step_dims(step);
    if (!wrong.empty()) return wrong;
  }
  return whole_reduction();
}

std::string Verifier::whole_reduction() const {
  const StatementPlan& main = mapping_.steps[0];
  if (main.match.initialises != mapping_.reduces_at_once) return "who sets the initial values is not clear";
  if (!mapping_.reduces_at_once) return "";
  const RunLimits& limits = *machine_.limits.run(main.match.unit, main.match.capability);
  std::vector<bool> counted(static_cast<std::size_t>(count()), false);
  for (std::size_t d = 0; d < main.chains.size(); ++d) {
    bool reduces = false;
    std::int64_t flat = 1;
    for (const int it : main.chains[d]) {
      counted[it] = true;
      flat *= mapping_.tile.back()[it];
      reduces = reduces || is_reduction(work_, mapping_, it);
    }
    if (reduces && flat > limits.dims[d].maximum) return "an instruction cannot hold the whole reduction";
  }
  for (int it = 0; it < count(); ++it) {
    if (mapping_.extent[it] == 1 || !is_reduction(work_, mapping_, it)) continue;
    const auto used = iterators_of(statement_of(main));
    if (std::find(used.begin(), used.end(), it) == used.end()) continue;
    if (!counted[it] || mapping_.tile.back()[it] != mapping_.extent[it]) {
      return "the capability initialises its target, but " + name(it) + " is split";
    }
  }
  return "";
}

std::string Verifier::accesses() const {
  for (const auto& step : mapping_.steps) {
    std::string wrong =
        disagreement(work_, machine_.capability(step.match), step.match, step.chains, mapping_.tile.back());
    if (!wrong.empty()) return wrong;
  }
  return "";
}

/// Padded points of results fall into margins; padded points of reductions must add nothing.
std::string Verifier::padding() const {
  for (int it = 0; it < count(); ++it) {
    const std::int64_t own = work_.program.iterators[it].extent;
    if (mapping_.extent[it] < own) return name(it) + " is not done to its end";
  }
  const auto counts = padding_that_counts(work_, mapping_);
  if (counts) return "padding of " + name(counts->second) + " changes the reduction";
  return "";
}

/// From the outermost loop down to the level of the results' tile: once a reduction is split, its result must stay.
std::string Verifier::reductions() const {
  const int last = mapping_.steps.size() > 1 ? std::max(target_level(mapping_), 0) : target_level(mapping_);
  int split = -1;
  for (int level = 0; level <= last; ++level) {
    for (const int it : mapping_.order[level]) {
      if (!turns(level, it)) continue;
      if (is_reduction(work_, mapping_, it)) {
        split = it;
      } else if (split >= 0) {
        return fmt::format("{} moves on to other results while the sum over {} is not whole", name(it), name(split));
      }
    }
  }
  return "";
}

/// Parts of divided work have other extents than the whole, and so do their tiles' copies, and what instructions see of
/// them: iterators that one dim counts must lie as one in memory, or it takes several instructions.
std::string Verifier::room() const {
  std::set<Extents> seen;
  for (const auto& part : parts_of(machine_, mapping_)) {
    if (!seen.insert(part.extent).second) continue;
    std::string wrong = room_of(part);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string Verifier::room_of(const Mapping& part) const {
  Geometry geometry(machine_, network_, work_, homes_, part);
  const TileCosts& tiles = geometry.tile_costs();
  if (!tiles.error.empty()) return tiles.error;
  const Fills fills(part);
  const auto copies = [&](int use, int level) { return fills.copies(use, level); };
  return overfull(machine_, tiles.fixed->rooms, footprint(machine_, part, tiles.bytes, copies));
}

}  // namespace

std::string verify(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping) {
  if (mapping.form) {
    std::string wrong = differs(work, *mapping.form);
    if (!wrong.empty()) return wrong;
  }
  return Verifier(machine, network, work_of(work, mapping), homes, mapping).run();
}

}  // namespace accord
