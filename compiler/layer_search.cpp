#include "compiler/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "archdsl/tensor/parse.h"
#include "compiler/least_moving.h"
#include "compiler/mapping/along_memory.h"
#include "compiler/mapping/arrange_last.h"
#include "compiler/mapping/dense_tiles.h"
#include "compiler/mapping/elements.h"
#include "compiler/mapping/full_lanes.h"
#include "compiler/mapping/parallel_movers.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/mapping/verify.h"
#include "compiler/network/parallel.h"
#include "compiler/refine.h"

namespace accord {
namespace {

constexpr std::size_t kept = 3;             // per capability, for the case that an encoding cannot express the best
constexpr std::size_t further = 3;          // less are these of a capability's further ways to match
constexpr std::size_t divided_further = 5;  // assignments that are divided beside the quickest
constexpr std::size_t varied = 4;           // assignments that are tried otherwise, too
constexpr double worth_varying = 2;         // times the quickest: an assignment of another capability
constexpr std::size_t varied_further = 1;
constexpr std::size_t varied_kinds = 32;  // more, where gaps on chip cost so much that they hide what is quick
constexpr double alike = 0.005;           // of cycles: steps in which they tell kinds apart
constexpr double by_far = 0.95;           // times what gaps take: a variant without that shows what they cost
constexpr double worthwhile = 0.9;  // times the quickest of the first ones' variants: of the others, only what is below
constexpr double unseen = 1.25;     // times the sums with hardware loops, which leave out what turns wait for
constexpr double compact = 0.95;  // times the prediction of short hardware loops: of longer or none, only what is below
constexpr std::int64_t most_straight = 1 << 17;  // main instructions of a layer, where loops could say the same
constexpr double quicker_by_far = 0.9;  // times the prediction over all elements: over fewer, only what is below
constexpr double beyond_hope = 1.5;  // times what is known: schedules see more than divisions' sums, and code differs
constexpr double doubtful = 0.92;    // times the prediction of the first way to match: of others, only what is below
constexpr std::size_t looked_over = 48;  // for one that moves fewer bytes
constexpr std::size_t compared = 12;     // per capability, of which the schedule chooses those

constexpr double infinite = std::numeric_limits<double>::infinity();

double predicted_of(const SearchResult::Found& found) { return found.mapping.predicted_cycles; }

/// What assignments have in common that differ in little but the order in which a dim counts its iterators: what their
/// instructions take, about what they take themselves, capability and way there.
using Likeness = std::tuple<std::int64_t, bool, std::int64_t, std::pair<int, int>, int>;

Likeness likeness_of(const Machine& machine, const Mapping& mapping) {
  const bool windowed = std::ranges::any_of(mapping.uses, &Use::windowed);
  const auto about = std::llround(std::log(mapping.predicted_cycles) / std::log1p(alike));
  return {compute_bound(machine, mapping), windowed, about, main_capability(mapping), mapping.detour};
}

/// How a use's tiles lie on chip.
struct Lie {
  bool dense, as_home;
  auto operator<=>(const Lie&) const = default;
};

std::vector<Lie> lie_of(const Mapping& mapping) {
  std::vector<Lie> lie;
  for (const Use& use : mapping.uses) lie.push_back({use.dense, use.as_home});
  return lie;
}

/// Quickest first. Assignments are often divided alike: the schedule sees every division before it sees one again.
void order_divided(std::vector<SearchResult::Found>& all) {
  std::ranges::stable_sort(all, {}, predicted_of);
  std::set<std::pair<std::vector<SpatialLoop>, int>> seen;  // on each detour
  std::vector<SearchResult::Found> first, again;
  for (auto& found : all) {
    const bool fresh =
        found.mapping.spatial.empty() || seen.insert({found.mapping.spatial, found.mapping.detour}).second;
    (fresh ? first : again).push_back(std::move(found));
  }
  std::ranges::move(again, std::back_inserter(first));
  all = std::move(first);
}

/// A layer's mappings and the divisions over several elements that are quicker.
struct DividedLayer {
  std::vector<SearchResult::Found> all;     ///< with the undivided ones, each behind its own
  std::vector<SearchResult::Found> beyond;  ///< of divisions that bounds misjudge
  std::vector<SearchResult::Found> fewer;   ///< of the quickest, over half of the elements at most
  double least = infinite;                  ///< predicted cycles of the first's quickest division
};

/// Whether the mapping takes longer than `cycles` by far even if all its elements shared its work without any loss.
bool is_hopeless(const Machine& machine, const Mapping& mapping, double cycles) {
  const auto elements = static_cast<double>(machine.elements.sites(mapping).size());
  return mapping.predicted_cycles >= beyond_hope * elements * cycles;
}

/// `most`: cycles of what is divided already, beyond which divisions are of no use.
DividedLayer divide_all(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared,
                        std::vector<SearchResult::Found> known, double most = infinite) {
  DividedLayer result;
  // Variants, whose divisions have their own tiles.
  std::set<std::tuple<std::size_t, Site, std::vector<Lie>>> divided;
  std::map<std::pair<int, int>, double> quickest;  // of a capability's, over all elements
  double quickest_of_all = most;
  for (auto& [index, mapping] : known) {
    const bool look_at_fewer = searcher.leaves_choice() && divided.empty();
    const bool fresh = divided.insert({index, site_of(mapping), lie_of(mapping)}).second;
    if (fresh && !is_hopeless(problem.machine, mapping, quickest_of_all)) {
      const double so_far = std::min(most, mapping.predicted_cycles);
      double& least = quickest.try_emplace(main_capability(mapping), so_far).first->second;
      Divided quicker = divide(problem, searcher, shared, mapping, look_at_fewer, least);
      if (divided.size() == 1) result.least = quicker.least;
      least = std::min(least, quicker.least);
      quickest_of_all = std::min(quickest_of_all, quicker.least);
      for (auto& one : quicker.over_all) result.all.push_back({index, std::move(one)});
      for (auto& one : quicker.beyond) result.beyond.push_back({index, std::move(one)});
      for (auto& one : quicker.over_fewer) result.fewer.push_back({index, std::move(one)});
    }
    result.all.push_back({index, std::move(mapping)});
  }
  order_divided(result.all);
  order_divided(result.beyond);
  order_divided(result.fewer);
  return result;
}

/// A capability, and a way in which it matches.
using MatchedWay = std::pair<std::pair<int, int>, int>;
MatchedWay way_of(const Mapping& mapping) { return {main_capability(mapping), main_way(mapping)}; }

/// Assignments of capabilities, or ways to match, of which nothing was found because one element takes longer than
/// others do, although so many may be quicker than `cycles`: of each those with the least bounds.
std::vector<std::size_t> overlooked(const SearchProblem& problem, const SearchResult& all, double cycles) {
  std::set<MatchedWay> found;
  double quickest = infinite;  // on one element
  for (const auto& one : all.found) {
    found.insert(way_of(one.mapping));
    quickest = std::min(quickest, predicted_of(one));
  }
  std::map<MatchedWay, std::vector<std::pair<std::int64_t, std::size_t>>> bounds;
  for (const auto& refused : all.refused) {
    const Mapping& assignment = problem.assignments[refused.assignment];
    if (found.contains(way_of(assignment))) continue;
    const auto elements = static_cast<std::int64_t>(problem.machine.elements.sites(assignment).size());
    const std::int64_t alone = compute_bound(problem.machine, assignment);
    const std::int64_t bound = compute_bound(problem.machine, assignment, elements);
    if (static_cast<double>(alone) < quickest || static_cast<double>(bound) >= quicker_by_far * cycles) continue;
    bounds[way_of(assignment)].emplace_back(bound, refused.assignment);
  }
  std::vector<std::size_t> result;
  for (auto& [way, of_it] : bounds) {
    std::ranges::sort(of_it);
    if (of_it.size() > kept) of_it.resize(kept);
    for (const auto& [bound, assignment] : of_it) result.push_back(assignment);
  }
  return result;
}

/// Adds divisions of these that promise to be quicker by far than what is found.
void add_divisions(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared,
                   std::vector<SearchResult::Found> undivided, DividedLayer& divided) {
  const double most = quicker_by_far * predicted_of(divided.all.front());
  DividedLayer more = divide_all(problem, searcher, shared, std::move(undivided), most);
  for (auto* others : {&more.all, &more.beyond, &more.fewer}) {
    std::erase_if(*others, [&](const auto& one) { return one.mapping.spatial.empty() || predicted_of(one) >= most; });
  }
  std::ranges::move(more.all, std::back_inserter(divided.all));
  std::ranges::move(more.beyond, std::back_inserter(divided.beyond));
  std::ranges::move(more.fewer, std::back_inserter(divided.fewer));
  order_divided(divided.all);
  order_divided(divided.beyond);
  order_divided(divided.fewer);
}

/// The same of assignments that were overlooked, which are searched now.
void add_overlooked(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared, SearchResult& all,
                    DividedLayer& divided) {
  const double most = quicker_by_far * predicted_of(divided.all.front());
  const std::vector<std::size_t> places = overlooked(problem, all, predicted_of(divided.all.front()));
  if (places.empty()) return;
  std::vector<Mapping> assignments;
  std::size_t elements = 1;
  for (const std::size_t place : places) {
    assignments.push_back(problem.assignments[place]);
    elements = std::max(elements, problem.machine.elements.sites(assignments.back()).size());
  }
  auto found = searcher.search(problem.of(assignments, most * static_cast<double>(elements))).found;
  for (auto& one : found) {
    one.assignment = places[one.assignment];
    std::erase_if(all.refused, [&](const auto& refused) { return refused.assignment == one.assignment; });
  }
  add_divisions(problem, searcher, shared, std::move(found), divided);
}

/// The same of the quickest assignments that are not divided yet, each unlike the others: what is best on one element
/// need not be on several.
void add_further(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared,
                 const SearchResult& all, DividedLayer& divided) {
  std::set<std::size_t> known;
  for (const auto& one : divided.all) known.insert(one.assignment);
  std::set<Likeness> seen;
  for (const auto& one : all.found) {
    if (known.contains(one.assignment)) seen.insert(likeness_of(problem.machine, one.mapping));
  }
  std::vector<SearchResult::Found> further;
  for (const auto& one : all.found) {
    if (further.size() == divided_further) break;
    if (known.insert(one.assignment).second && seen.insert(likeness_of(problem.machine, one.mapping)).second)
      further.push_back(one);
  }
  add_divisions(problem, searcher, shared, std::move(further), divided);
}

/// Mappings of the first assignments without hardware loops, such in whose hardware loops copies of tiles take turns,
/// such whose tiles lie without gaps or as at home, where bytes and not instructions take the time, and such whose
/// transfers several movers share; each with tiles of its own. Those that promise to be quicker than what they vary,
/// the quickest first; without loops, those that may be.
class Variants {
 public:
  Variants(const SearchProblem& problem, const Searcher& searcher) : problem_(problem), searcher_(searcher) {}

  std::vector<SearchResult::Found> of(const std::vector<SearchResult::Found>& known) {
    std::map<bool, std::set<std::size_t>> tried;  // of the further ways to match, or not
    for (const auto& [index, mapping] : known) {
      const bool is_further = main_way(mapping) > 0;
      auto& of_kind = tried[is_further];
      const bool is_full = of_kind.size() >= (is_further ? varied_further : varied);
      const bool is_first = is_first_of_capability(mapping);
      if (is_full && !(is_first && may_be_quicker(mapping, known.front()))) continue;
      if (of_kind.insert(index).second) vary_all(index, mapping);
    }
    if (gaps_cost_much(known)) {
      const double least = worthwhile * predicted_of(*std::ranges::min_element(found_, {}, predicted_of));
      for (const auto& [index, mapping] : unlike(known)) {
        if (tried[false].insert(index).second) vary_all(index, mapping, least);
      }
    }
    std::ranges::stable_sort(found_, {}, predicted_of);
    return std::move(found_);
  }

 private:
  /// In blocks or not, along memory or not: what keeps it behind others may be what a variant mends.
  bool is_first_of_capability(const Mapping& mapping) {
    return capabilities_
        .insert({main_capability(mapping), mapping.form != nullptr, counts_along_memory(problem_, mapping)})
        .second;
  }

  bool may_be_quicker(const Mapping& mapping, const SearchResult::Found& than) const {
    const auto bound = static_cast<double>(compute_bound(problem_.machine, mapping));
    return mapping.predicted_cycles < worth_varying * predicted_of(than) && bound < predicted_of(than);
  }

  bool gaps_cost_much(const std::vector<SearchResult::Found>& known) const {
    return std::ranges::any_of(found_, [&](const SearchResult::Found& found) {
      return std::ranges::any_of(found.mapping.uses, &Use::dense) &&
             predicted_of(found) < by_far * predicted_of(known.front());
    });
  }

  /// Of the first way to match, those whose instructions take least, one of each kind: most differ in nothing but the
  /// order in which a dim counts its iterators.
  std::vector<SearchResult::Found> unlike(const std::vector<SearchResult::Found>& known) const {
    std::map<Likeness, const SearchResult::Found*> kinds;
    std::set<std::size_t> seen;
    for (const auto& found : known) {
      if (main_way(found.mapping) > 0 || !seen.insert(found.assignment).second) continue;
      kinds.try_emplace(likeness_of(problem_.machine, found.mapping), &found);
    }
    std::vector<SearchResult::Found> result;
    for (const auto& [kind, found] : kinds) {
      if (result.size() < varied_kinds) result.push_back(*found);
    }
    return result;
  }

  /// Variants that are predicted to take less than `least` cycles.
  void vary_all(std::size_t index, const Mapping& mapping, double least = infinite) {
    most_ = std::min(mapping.predicted_cycles, least);
    vary(index, mapping);
    most_ = std::min(unseen * mapping.predicted_cycles, least);
    search(index, alternating(mapping));
    if (const auto other = search(index, without_loops(mapping))) {
      most_ = std::min(std::max(other->predicted_cycles, mapping.predicted_cycles), least);
      vary(index, *other);
    }
  }

  void vary(std::size_t index, const Mapping& mapping) {
    // What has to be beaten, not the mapping's own prediction: near the bound there is little to gain.
    const bool waits = most_ > waiting * static_cast<double>(compute_bound(problem_.machine, mapping));
    Mapping best = mapping;  // each of these varies what the one before found
    const auto go_on = [&](std::optional<Mapping> quicker) {
      if (quicker) best = *std::move(quicker);
    };
    if (waits) go_on(dense(index, best));
    if (waits) go_on(search(index, with_last_arranged(problem_, best)));
    search(index, on_parallel_movers(problem_, best));
    if (waits) search(index, with_full_lanes(problem_, mapping));
  }

  /// No descent leads from tiles that gaps kept short to those that then fit: of the first assignments it begins anew,
  /// too.
  std::optional<Mapping> dense(std::size_t index, const Mapping& mapping) {
    DenseTiles tiles = with_dense_tiles(problem_, mapping);
    if (tiles.by_far && anew_.insert(index).second && anew_.size() <= varied) {
      tiles.variants.push_back(tiles.variants.front());
      tiles.variants.back().tile.clear();
    }
    return search_best(index, tiles.variants);
  }

  /// Of tiles that an input's next load has to wait for, where there is memory for two of them.
  std::optional<Mapping> alternating(const Mapping& mapping) const {
    if (!mapping.rolls || mapping.levels < 2) return std::nullopt;
    Mapping other = mapping;
    other.alternates = true;
    return other;
  }

  std::optional<Mapping> without_loops(const Mapping& mapping) const {
    if (!mapping.rolls || main_instructions(problem_.machine, mapping) > most_straight) return std::nullopt;
    Mapping other = mapping;
    other.rolls = false;
    return other;
  }

  std::optional<Mapping> search_best(std::size_t index, const std::vector<Mapping>& variants) {
    std::optional<Mapping> best;
    for (const Mapping& variant : variants) {
      auto found = search(index, variant);
      if (found && (!best || found->predicted_cycles < best->predicted_cycles)) best = std::move(found);
    }
    return best;
  }

  /// The best of the variant's mappings, if there is one and it promises enough.
  std::optional<Mapping> search(std::size_t index, const std::optional<Mapping>& variant) {
    if (!variant) return std::nullopt;
    const std::vector<Mapping> assignments = {*variant};
    auto found = searcher_.search(problem_.of(assignments, most_)).found;
    std::erase_if(found, [&](const SearchResult::Found& one) { return predicted_of(one) >= most_; });
    for (const auto& quicker : found) found_.push_back({index, quicker.mapping});
    return found.empty() ? std::nullopt : std::optional(found.front().mapping);
  }

  const SearchProblem& problem_;
  const Searcher& searcher_;
  std::set<std::tuple<std::pair<int, int>, bool, bool>> capabilities_;
  std::set<std::size_t> anew_;  ///< of which descents began anew
  double most_ = 0;             ///< that a variant's prediction stays below
  std::vector<SearchResult::Found> found_;
};

/// What sums of cycles compare well with each other, but not with the rest.
enum class Kind { plain, alternating, straight, straight_and_dense };

Kind kind_of(const Machine& machine, const Mapping& mapping) {
  if (machine.rolls && !mapping.rolls) {
    return std::ranges::any_of(mapping.uses, &Use::dense) ? Kind::straight_and_dense : Kind::straight;
  }
  return mapping.alternates ? Kind::alternating : Kind::plain;
}

std::map<Kind, std::vector<SearchResult::Found>> by_kind(const Machine& machine,
                                                         std::vector<SearchResult::Found> variants) {
  std::map<Kind, std::vector<SearchResult::Found>> kinds;
  for (auto& found : variants) kinds[kind_of(machine, found.mapping)].push_back(std::move(found));
  return kinds;
}

/// Puts second what moves fewest bytes off chip, of the first that are as quick by their sums: it is to be scheduled,
/// and so measured.
void bring_forward(const Compilation& compilation, const LayerPlan& layer, std::vector<SearchResult::Found>& found) {
  if (found.empty()) return;
  std::vector<SearchResult::Found> first;
  for (const auto& one : found) {
    if (first.size() == looked_over || predicted_of(one) > as_quick * predicted_of(found.front())) break;
    first.push_back(one);
  }
  const std::size_t best = least_moving(compilation, layer, first, 0, &Mapping::predicted_cycles);
  if (best > 1)
    std::rotate(found.begin() + 1, found.begin() + static_cast<std::ptrdiff_t>(best),
                found.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

/// The first so many of each capability, way in which its sums begin and detour, divided and undivided ones; fewer of
/// its further ways to match.
void keep(std::vector<SearchResult::Found>& found, std::size_t most) {
  std::map<std::tuple<std::pair<int, int>, int, int, bool, bool, int>, std::size_t> count;
  std::erase_if(found, [&](const auto& entry) {
    const int way = main_way(entry.mapping);
    const std::size_t least = way == 0 ? most : (most + further - 1) / further;
    const Mapping& mapping = entry.mapping;
    return ++count[{main_capability(mapping), mapping.steps[0].opening, way, starting_step(mapping) >= 0,
                    mapping.spatial.empty(), mapping.detour}] > least;
  });
}

/// Leaves out mappings without hardware loops, or with longer ones, that are not much quicker than those of `rolled`
/// whose cycles are known.
void drop_long_code(std::vector<SearchResult::Found>& found, const std::vector<SearchResult::Found>& rolled) {
  double least = infinite;
  for (const auto& other : rolled) {
    const bool is_short = other.mapping.rolls && !other.mapping.alternates;
    if (is_short && other.mapping.scheduled) least = std::min(least, predicted_of(other));
  }
  std::erase_if(found, [&](const auto& one) { return predicted_of(one) >= compact * least; });
}

/// Adds divisions, scheduled by a budget of their own, that take less than `share` of what all others do.
template <typename Choose>
void add_apart(std::vector<SearchResult::Found> others, double share, std::vector<SearchResult::Found>& found,
               const Choose& choose) {
  if (others.empty() || !found.front().mapping.scheduled) return;
  choose(others);
  const double least = share * predicted_of(found.front());
  std::erase_if(others, [&](const auto& one) { return !one.mapping.scheduled || predicted_of(one) >= least; });
  found.insert(found.begin(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  keep(found, kept);
}

/// Leaves out mappings with factors in changed places that are not much quicker than the others; where the first one is
/// scheduled, than those of the others that are: sums alone stand behind.
void drop_doubtful(std::vector<SearchResult::Found>& found) {
  double least = infinite;
  for (const auto& one : found) {
    const bool behind = found.front().mapping.scheduled && !one.mapping.scheduled;
    if (main_way(one.mapping) == 0 && !behind) least = std::min(least, predicted_of(one));
  }
  std::erase_if(found,
                [&](const auto& one) { return main_way(one.mapping) > 0 && predicted_of(one) >= doubtful * least; });
}

/// What is known of the layer, or of an equal one.
LayerSearch& known(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  auto& search = compilation.searches[search_key(compilation, layer)];
  if (!search) search = std::make_shared<LayerSearch>(search_layer(compilation, shared, layer));
  return *search;
}

}  // namespace

std::string search_key(const Compilation& compilation, const LayerPlan& layer) {
  std::string text;
  for (const auto& statement : layer.work.program.statements) text += to_string(layer.work.program, statement) + ";";
  // Operand names differ from layer to layer; their order of appearance does not.
  std::map<std::string, std::string> names;
  for (const auto& operand : layer.work.program.operands) names.emplace(operand.name, "");
  std::string out;
  int numbered = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const auto word = text.substr(i, end - i);
    const auto it = names.find(word);
    if (it == names.end()) {
      out += word;
    } else {
      if (it->second.empty()) it->second = "#" + std::to_string(numbered++);
      out += it->second;
    }
    i = end;
  }
  for (const auto& it : layer.work.program.iterators) out += it.name + "=" + std::to_string(it.extent) + ",";
  for (std::size_t o = 0; o < layer.work.operands.size(); ++o) {
    const WorkOperand& operand = layer.work.operands[o];
    out += name(layer.work.program.operands[o].type);
    out += operand.tensor == no_tensor
               ? "-"
               : std::to_string(element_count(compilation.network.tensors[operand.tensor].shape));
    out += operand.constant ? "c" : "v";
    if (operand.outside != 0) out += fmt::format("o{}", operand.outside);
    if (operand.tensor == no_tensor) continue;
    const Home& home = compilation.homes[operand.tensor];
    for (const std::int64_t stride : home.strides) out += std::to_string(stride) + ",";
    if (home.is_inside()) out += "i";
  }
  // Of equal layers some may have fewer assignments, where the program has less room left (drop_long).
  return out + std::to_string(layer.mappings.size());
}

bool LayerSearch::is_behind(const Mapping& mapping) const {
  return kept.front().mapping.scheduled && !mapping.scheduled;
}

double LayerSearch::predicted_cycles() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [index, mapping] : kept) {
    if (!is_behind(mapping)) least = std::min(least, mapping.predicted_cycles);
  }
  return least;
}

LayerSearch search_layer(const Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  const Searcher& searcher = *compilation.options.searcher;
  const SearchProblem problem = {compilation.machine, compilation.network, layer.work,
                                 compilation.homes,   layer.mappings,      shipped_cost_model()};
  LayerSearch result;
  result.all = searcher.search(problem);
  result.kept = result.all.found;
  if (!searcher.leaves_choice()) {
    keep(result.kept, kept);
    result.kept = divide_all(problem, searcher, shared, std::move(result.kept)).all;
    keep(result.kept, kept);
    return result;
  }
  const auto choose = [&](std::vector<SearchResult::Found>& found) {
    const bool settled = refine(compilation, shared, layer, found, result.scheduled);
    keep(found, kept);
    return settled;
  };
  auto variants = by_kind(problem.machine, Variants(problem, searcher).of(result.kept));
  if (compilation.options.measure) bring_forward(compilation, layer, result.kept);
  keep(result.kept, compared);
  bool settled = choose(result.kept);
  for (auto& [kind, found] : variants) {
    keep(found, compared);
    settled &= choose(found);
    if (kind != Kind::plain) drop_long_code(found, result.kept);
    std::ranges::move(found, std::back_inserter(result.kept));
  }
  if (settled) {
    std::ranges::stable_sort(result.kept, {}, predicted_of);
    keep(result.kept, kept);
  }
  const std::size_t undivided = result.kept.size();
  DividedLayer divided = divide_all(problem, searcher, shared, std::move(result.kept));
  if (!divided.all.empty()) {
    add_overlooked(problem, searcher, shared, result.all, divided);
    add_further(problem, searcher, shared, result.all, divided);
  }
  result.kept = std::move(divided.all);
  result.divided = divided.least;
  for (const auto& one : result.kept) {
    if (!one.mapping.spatial.empty()) result.divided = std::min(result.divided, predicted_of(one));
  }
  // What the first choice left out for its budget the second may look at.
  if (result.kept.size() > undivided || !settled) choose(result.kept);
  add_apart(std::move(divided.beyond), 1, result.kept, choose);
  add_apart(std::move(divided.fewer), quicker_by_far, result.kept, choose);
  drop_doubtful(result.kept);
  return result;
}

void measure_kept(const Compilation& compilation, const LayerPlan& layer, LayerSearch& search) {
  measure_best(compilation, layer, std::exchange(search.scheduled, {}), search.kept);
  keep(search.kept, kept);
}

void search_ahead(Compilation& compilation) {
  std::map<std::string, const LayerPlan*> missing;
  for (const LayerPlan& layer : compilation.layers) {
    if (layer.placement != Placement::machine) continue;
    std::string key = search_key(compilation, layer);
    if (!compilation.searches.contains(key)) missing.emplace(std::move(key), &layer);
  }
  std::vector<std::pair<const LayerPlan*, std::shared_ptr<LayerSearch>*>> tasks;
  for (const auto& [key, layer] : missing) tasks.emplace_back(layer, &compilation.searches[key]);
  // Long searches first: none is left alone at the end.
  std::ranges::stable_sort(tasks, std::greater{}, [](const auto& task) { return task.first->mappings.size(); });
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  parallel_for(threads, std::ssize(tasks), [&](std::int64_t task) {
    const auto& [layer, search] = tasks[static_cast<std::size_t>(task)];
    SharedMachines shared(compilation.machine);
    *search = std::make_shared<LayerSearch>(search_layer(compilation, shared, *layer));
  });
}

const LayerSearch& search_once(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  return known(compilation, shared, layer);
}

const LayerSearch& measure_once(Compilation& compilation, SharedMachines& shared, const LayerPlan& layer) {
  LayerSearch& search = known(compilation, shared, layer);
  measure_kept(compilation, layer, search);
  return search;
}

void check_mappings(const Compilation& compilation, const LayerPlan& layer) {
  for (const auto& mapping : layer.mappings) {
    const std::string wrong = verify(compilation.machine, compilation.network, layer.work, compilation.homes, mapping);
    if (!wrong.empty()) throw std::logic_error("a mapping that was found does not verify: " + wrong);
  }
}

std::vector<Mapping> search_again(const Compilation& compilation, LayerPlan layer) {
  layer.mappings = layer.assignments;
  SharedMachines shared(compilation.machine);
  const LayerSearch search = search_layer(compilation, shared, layer);
  layer.mappings.clear();
  for (const auto& found : search.kept) layer.mappings.push_back(found.mapping);
  check_mappings(compilation, layer);
  return std::move(layer.mappings);
}

void search_late(const Compilation& compilation, LayerPlan& layer) {
  assign(compilation, layer);
  layer.assignments = std::exchange(layer.mappings, {});
  if (layer.placement == Placement::machine) layer.mappings = search_again(compilation, layer);
}

}  // namespace accord
