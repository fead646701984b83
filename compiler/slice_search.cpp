#include "compiler/slice_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "compiler/fusion/retarget.h"
#include "compiler/mapping/address_units.h"
#include "compiler/mapping/searcher.h"
#include "compiler/mapping/verify.h"
#include "compiler/mapping_schedule.h"

namespace accord {
namespace {

constexpr std::ptrdiff_t preferred = 2;   // of a layer's assignments are tried for its slices, and as many divided ones
constexpr std::size_t compared = 2;       // of the tilings found are scheduled
constexpr std::size_t first_effort = 24;  // slices are searched in any case,
constexpr std::size_t effort = 1;         // and so many per layer
constexpr double operations = 5000;       // are scheduled for slices, per layer,
constexpr double share = 0.05;            // and this much of the layers' own operations

/// Loops, accesses and operations of the work, without the numbers that tiles do not depend on.
std::string structure_of(const Work& work) {
  std::string text;
  for (const auto& it : work.program.iterators) text += fmt::format("{},", it.extent);
  const auto add_access = [&](const Access& access) {
    text += fmt::format("@{}{}", access.operand, static_cast<int>(work.program.operands[access.operand].type));
    for (const auto& index : access.indices) {
      text += '[';
      for (const auto& [it, coefficient] : index.terms) text += fmt::format("{}*{}+", coefficient, it);
    }
  };
  const auto add_value = [&](auto&& self, const Expr& value) -> void {
    text += fmt::format("({}", static_cast<int>(value.op));
    for (const auto& argument : value.args) self(self, *argument);
    text += ')';
  };
  for (const auto& statement : work.program.statements) {
    text += fmt::format("/{}", static_cast<int>(statement.reduction));
    add_access(statement.target);
    add_value(add_value, *statement.value);
    for (const auto& access : statement.accesses) add_access(access);
  }
  return text;
}

/// Which instructions do which loops, in whatever tiles.
std::string assignment_of(const Mapping& mapping) {
  std::string text;
  for (const auto& step : mapping.steps) {
    text += fmt::format("!{}.{}", step.match.unit, step.match.capability);
    for (const auto& chain : step.chains) text += fmt::format("({})", fmt::join(chain, ","));
  }
  return text;
}

bool is_undivided(const Mapping& mapping) { return mapping.spatial.empty(); }

}  // namespace

SliceSearch::SliceSearch(const Compilation& compilation)
    : compilation_(compilation), shared_(compilation.machine), searches_(first_effort) {
  for (const auto& layer : compilation.layers) {
    if (layer.placement != Placement::machine) continue;
    operations_ += operations + share * expected_operations(compilation, layer, layer.mappings.front());
    searches_ += effort;
  }
}

/// Everything that decides a slice's tiles, the choices that they are of included; where its stretches begin does not,
/// but between multiples of what addresses count in.
std::string SliceSearch::key_of(const LayerPlan& slice, const std::map<int, Region>& regions,
                                const std::vector<Mapping>& choices) const {
  std::string key = structure_of(slice.work);
  for (const auto& operand : slice.work.operands) {
    if (operand.outside != 0) key += fmt::format(";o{}", operand.outside);
    if (operand.tensor == no_tensor) continue;
    const Home& home = compilation_.homes[operand.tensor];
    key += fmt::format(";{}:{}", home.memory, fmt::join(home.strides, ","));
  }
  for (const auto& [memory, region] : regions) {
    std::int64_t unit = 1;
    for (const auto& choice : choices) unit = std::lcm(unit, place_unit(compilation_.machine, choice, memory));
    key += fmt::format("|{}:{}+{}", memory, region.base % unit, region.bytes);
  }
  for (const auto& choice : choices) {
    key += fmt::format("{}[{}]", assignment_of(choice), fmt::join(choice.extent, ","));
    for (const auto& loop : choice.spatial) key += fmt::format("/{}:{}:{}", loop.iterator, loop.part, loop.step);
  }
  return key;
}

/// What the mapping reaches beyond a kept tensor must lie in its margin.
bool SliceSearch::within_margins(const LayerPlan& slice, const Mapping& mapping) const {
  return std::all_of(mapping.uses.begin(), mapping.uses.end(), [&](const Use& use) {
    if (use.filled || use.access.operand < 0 || use.role == UseRole::accumulator) return true;
    const WorkOperand& operand = slice.work.operands[use.access.operand];
    if (operand.tensor == no_tensor || operand.constant) return true;
    Home home = compilation_.homes[operand.tensor];
    reach(home, compilation_.network.tensors[operand.tensor].shape, use.access, mapping.extent);
    const Home& now = compilation_.homes[operand.tensor];
    return home.before == now.before && home.after == now.after;
  });
}

/// The layer's mappings, the quickest of each assignment, or else its assignments, for the slice: its accesses and
/// extents, and ways to the tensors' new homes.
std::vector<Mapping> SliceSearch::choices(const LayerPlan& layer, const LayerPlan& slice,
                                          const std::map<int, Region>& regions) const {
  std::vector<Mapping> found;
  const auto add = [&](const Mapping& alone) {
    const auto of_kind = [&](const Mapping& other) { return is_undivided(other) == is_undivided(alone); };
    if (std::ranges::count_if(found, of_kind) >= preferred) return;
    auto mapping = retarget(compilation_.machine, compilation_.homes, alone, layer.work, slice.work);
    if (!mapping || !within_margins(slice, *mapping)) return;
    const auto alike = [&](const Mapping& other) {
      return of_kind(other) && assignment_of(other) == assignment_of(*mapping);
    };
    if (std::ranges::any_of(found, alike)) return;
    mapping->regions = regions;
    found.push_back(std::move(*mapping));
  };
  for (const Mapping& alone : layer.mappings) add(alone);
  if (std::ranges::any_of(found, is_undivided)) return found;
  for (const Mapping& alone : layer.assignments) add(alone);
  return found;
}

std::optional<double> SliceSearch::cycles(const LayerPlan& layer, const Mapping& mapping) {
  if (mapping.scheduled) return mapping.predicted_cycles;
  const MappingSchedule schedule(compilation_, shared_, layer, mapping);
  if (schedule.expected_operations() > operations_) return std::nullopt;
  const auto [cycles, scheduled] = schedule.run();
  operations_ -= scheduled;
  return cycles;
}

/// What a search of the undivided choices finds, from their tiles, and all choices' tiles as they are where they fit:
/// the schedule chooses.
SliceSearch::Result SliceSearch::search(const LayerPlan& slice, const std::vector<Mapping>& choices) {
  if (searches_ == 0) return {0, std::nullopt, "enough slices have been searched"};
  --searches_;
  std::vector<Mapping> undivided;
  std::vector<std::size_t> places;  // of these among the choices
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!is_undivided(choices[i])) continue;
    undivided.push_back(choices[i]);
    places.push_back(i);
  }
  auto found = compilation_.options.searcher->search(
      {compilation_.machine, compilation_.network, slice.work, compilation_.homes, undivided, shipped_cost_model()});
  for (auto& one : found.found) one.assignment = places[one.assignment];
  if (found.found.size() > compared) found.found.resize(compared);
  if (compilation_.options.searcher->leaves_choice()) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (is_legal(slice, choices[i])) found.found.push_back({i, choices[i]});
    }
  }
  if (found.found.empty()) {
    return {0, std::nullopt, found.refused.empty() ? "parts of its work do not fit" : found.refused.front().reason};
  }
  Result best{0, std::nullopt, "too many operations to schedule"};
  for (auto& [choice, mapping] : found.found) {
    const auto scheduled = cycles(slice, mapping);
    if (!scheduled || (best.mapping && best.mapping->predicted_cycles <= *scheduled)) continue;
    mapping.predicted_cycles = *scheduled;
    mapping.scheduled = true;
    best = {choice, std::move(mapping), ""};
  }
  return best;
}

/// Whether the choice may be as it is.
bool SliceSearch::is_legal(const LayerPlan& slice, const Mapping& mapping) const {
  return !mapping.tile.empty() && !mapping.order.empty() &&
         verify(compilation_.machine, compilation_.network, slice.work, compilation_.homes, mapping).empty();
}

std::optional<Mapping> SliceSearch::find(const LayerPlan& layer, const LayerPlan& slice,
                                         const std::map<int, Region>& regions, std::string& why) {
  auto all = choices(layer, slice, regions);
  if (all.empty()) {
    why = "none of the layer's assignments reaches what is kept";
    return std::nullopt;
  }
  const std::string key = key_of(slice, regions, all);
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, search(slice, all)).first;
  const auto& [choice, best, reason] = known->second;
  why = reason;
  if (!best) return std::nullopt;
  Mapping mapping = std::move(all[choice]);
  adopt_tiling(mapping, *best);
  why = verify(compilation_.machine, compilation_.network, slice.work, compilation_.homes, mapping);
  if (!why.empty()) return std::nullopt;
  return mapping;
}

}  // namespace accord
