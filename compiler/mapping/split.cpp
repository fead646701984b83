#include "compiler/mapping/split.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/arrange_last.h"
#include "compiler/mapping/dense_tiles.h"
#include "compiler/mapping/divisions.h"
#include "compiler/mapping/search.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/step_bound.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

constexpr std::size_t searched = 6;           // divisions whose tiles are searched, least bound first
constexpr std::size_t misjudged = 6;          // more, instead of those whose tiles take far longer than their bounds
constexpr double far_longer = 1.5;            // times the bound
constexpr std::size_t tilings = 2;            // handed on of each
constexpr double worth_without_gaps = 2;      // times what others take: gaps cost no more than that, mostly
constexpr double quicker_without_gaps = 0.8;  // sums see less of what words that hold two rows take
constexpr double doubtful_sums = 1.1;  // times a schedule's cycles: sums of cycles may say as much of what is no longer
constexpr double infinite = std::numeric_limits<double>::infinity();

/// The part of a mapping that begins at `origin`, still on the first element.
Mapping part_at(const Mapping& mapping, const Extents& origin, const Extents& extent) {
  Mapping part = mapping;
  part.extent = extent;
  for (auto& tile : part.tile) {
    for (std::size_t it = 0; it < tile.size(); ++it) tile[it] = std::min(tile[it], extent[it]);
  }
  for (auto& use : part.uses) {
    if (use.filled) continue;
    for (auto& index : use.access.indices) {
      for (const auto& [it, coefficient] : index.terms) index.offset += coefficient * origin[it];
    }
  }
  return part;
}

/// Counts the boxes of a division, the first loop outermost.
class Boxes {
 public:
  explicit Boxes(const Mapping& mapping) : mapping_(mapping), turn_(mapping.spatial.size(), 0) {}

  void read(Extents& origin, Extents& extent) const {
    origin.assign(mapping_.extent.size(), 0);
    extent = mapping_.extent;
    for (std::size_t l = 0; l < turn_.size(); ++l) {
      const SpatialLoop& loop = mapping_.spatial[l];
      origin[loop.iterator] = turn_[l] * loop.part;
      extent[loop.iterator] = std::min(loop.part, mapping_.extent[loop.iterator] - origin[loop.iterator]);
    }
  }

  bool next() {
    for (std::size_t l = turn_.size(); l-- > 0;) {
      if (++turn_[l] < turns(mapping_, mapping_.spatial[l])) return true;
      turn_[l] = 0;
    }
    return false;
  }

 private:
  const Mapping& mapping_;
  Extents turn_;
};

/// Cycles per byte of a transfer on its own: its way's width as the part shares it, or as many requests as its mover
/// has under way, each for as long as one takes.
double cycles_per_byte(const Machine& shared, const Use& use, int level) {
  const Hop& hop = hop_at(use, level);
  const Unit& mover = shared.architecture.units[hop.unit];
  const double width = bytes_per_cycle(shared.architecture, mover.routes[hop.route]) * shared_at(use, level).relief;
  const auto under_way = static_cast<double>(mover.in_flight * mover.request);
  return std::max(1 / width, static_cast<double>(hop_latency(shared.architecture, hop)) / under_way);
}

/// About the least cycles of a division's greatest part: its instructions, or its operands' bytes.
double part_bound(const Machine& shared, const Mapping& part) {
  double bound = static_cast<double>(compute_bound(shared, part));
  std::map<int, double> movers;
  for (const auto& use : part.uses) {
    if (use.hops.empty() || use.filled) continue;
    double bytes = static_cast<double>(accord::bytes(use.type));
    for (const auto& index : use.access.indices) bytes *= static_cast<double>(least_values(index, part.extent));
    for (int level = 0; level < use.depth; ++level) {
      movers[hop_at(use, level).unit] += bytes * cycles_per_byte(shared, use, level);
    }
  }
  for (const auto& [unit, cycles] : movers) bound = std::max(bound, cycles);
  return bound;
}

/// Divisions of one mapping.
class Divider {
 public:
  /// The tiles of `mapping` may be a division's. `known`: cycles of other divisions.
  Divider(const SearchProblem& problem, SharedMachines& shared, const Mapping& mapping, double known = infinite)
      : problem_(problem),
        shared_(shared),
        mapping_(mapping),
        known_(std::min(known, mapping.predicted_cycles)),
        elements_(problem.machine.elements.sites(mapping).size()) {}

  /// Those that are quicker than the mapping itself.
  Divided quicker(const Searcher& searcher, bool fewer) {
    Divided result;
    if (elements_ < 2 || main_instructions(problem_.machine, mapping_) > most_instructions_of_layer) return result;
    std::vector<Candidate> all = candidates();
    auto most = static_cast<std::int64_t>(elements_);
    auto [over_all, beyond] = search(all, most, searcher, known_);
    result.over_all = std::move(over_all);
    result.beyond = std::move(beyond);
    result.least = least_;
    for (most /= 2; fewer && most >= 2; most /= 2) {
      auto [quicker, misjudged] = search(all, most, searcher, mapping_.predicted_cycles);
      std::ranges::move(quicker, std::back_inserter(result.over_fewer));
      std::ranges::move(misjudged, std::back_inserter(result.over_fewer));
    }
    std::ranges::stable_sort(result.over_fewer, {}, &Mapping::predicted_cycles);
    return result;
  }

  /// Other tiles near those of the mapping, which is divided.
  std::vector<Mapping> near(std::size_t count) {
    std::vector<Mapping> result;
    const Mapping greatest = greatest_part(mapping_);
    for (const auto& part :
         near_tilings(shared_.of(mapping_), problem_.network, problem_.work, problem_.homes, greatest, count)) {
      if (auto tiled = with_tiles(mapping_, part)) result.push_back(std::move(*tiled));
    }
    return result;
  }

 private:
  /// Without tiles.
  Mapping divided_by(Division division) const {
    Mapping divided = mapping_;
    divided.spatial = std::move(division);
    // The operations of other elements stand between those of a loop: none rolls.
    divided.rolls = false;
    divided.scheduled = false;
    divided.measured_cycles = 0;
    divided.tile.clear();
    return divided;
  }

  Mapping greatest_part(const Mapping& divided) {
    Extents extent = divided.extent;
    for (const auto& loop : divided.spatial) extent[loop.iterator] = loop.part;
    Mapping part = part_at(divided, Extents(extent.size(), 0), extent);
    for (std::size_t u = 0; u < part.uses.size(); ++u) part.uses[u].shared = shared_.reading(divided, u);
    return part;
  }

  /// Of the instructions alone.
  double compute_cycles(const Mapping& divided) const {
    const auto units = static_cast<std::int64_t>(part_count(divided));
    Mapping part = divided;
    for (const auto& loop : divided.spatial) part.extent[loop.iterator] = loop.part;
    return static_cast<double>(
        std::max(compute_bound(problem_.machine, part), compute_bound(problem_.machine, divided, units)));
  }

  double least_cycles(const Mapping& divided) {
    return std::max(part_bound(shared_.of(divided), greatest_part(divided)), compute_cycles(divided));
  }

  /// A division with what it takes at least: by its instructions, or exactly. Machines as parts share them take long to
  /// make: only divisions that come first by their instructions are looked at so closely.
  struct Bounded {
    double cycles;
    bool exact;
    std::size_t index;
    auto operator<=>(const Bounded&) const = default;
  };
  using Ranking = std::priority_queue<Bounded, std::vector<Bounded>, std::greater<>>;

  struct Candidate {
    Division division;
    std::int64_t parts;
    Bounded bounded;
    bool searched = false;
  };

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    Mapping divided = divided_by({});
    for (Division& division :
         divisions(problem_.machine, problem_.work, mapping_, static_cast<std::int64_t>(elements_)).all) {
      divided.spatial = division;
      const auto parts = static_cast<std::int64_t>(part_count(divided));
      all.push_back({std::move(division), parts, {compute_cycles(divided), false, all.size()}});
    }
    return all;
  }

  /// Adds the same division on other elements, where it takes least of all, if that is less.
  void look_closely(std::vector<Candidate>& all, std::size_t index, Ranking& open) {
    const Division division = all[index].division;
    const double computing = all[index].bounded.cycles, at_hand = least_cycles(divided_by(division));
    open.push(all[index].bounded = {at_hand, true, index});
    if (at_hand <= computing) return;  // on any
    Candidate best{{}, all[index].parts, {at_hand, true, all.size()}};
    for (Division& other :
         on_other_elements(problem_.machine, mapping_, division, static_cast<std::int64_t>(elements_))) {
      const double cycles = least_cycles(divided_by(other));
      if (cycles >= best.bounded.cycles) continue;
      best.division = std::move(other);
      best.bounded.cycles = cycles;
    }
    if (best.division.empty()) return;
    open.push(best.bounded);
    all.push_back(std::move(best));
  }

  /// Tiled divisions, the quickest first.
  struct Tiled {
    std::vector<Mapping> quicker;
    std::vector<Mapping> beyond;  ///< of more, since what the first take is far from their bounds
  };

  /// Those of `all` over so many parts at most that are quicker than the mapping itself: tiles are searched where the
  /// bounds are least. `known`: cycles of other divisions.
  Tiled search(std::vector<Candidate>& all, std::int64_t most_parts, const Searcher& searcher, double known) {
    Tiled result;
    Ranking open;
    for (const Candidate& candidate : all) {
      if (candidate.parts <= most_parts && !candidate.searched) open.push(candidate.bounded);
    }
    const double most = (mapping_.scheduled ? doubtful_sums : 1) * mapping_.predicted_cycles;
    for (std::size_t judged = 0, tried = 0; judged < searched && tried < searched + misjudged && !open.empty();) {
      const Bounded first = open.top();
      open.pop();
      if (first.cycles >= mapping_.predicted_cycles) break;
      if (!first.exact) {
        look_closely(all, first.index, open);
        continue;
      }
      all[first.index].searched = tried < searched;
      const bool is_beyond = ++tried > searched;
      double least = infinite;
      for (auto& tiled : tile(divided_by(all[first.index].division), searcher, known)) {
        least = std::min(least, tiled.predicted_cycles);
        if (tiled.predicted_cycles < most) (is_beyond ? result.beyond : result.quicker).push_back(std::move(tiled));
      }
      judged += least < far_longer * first.cycles;
      if (is_beyond) continue;  // sums misjudge these, too
      known = std::min(known, least);
      least_ = std::min(least_, least);
    }
    std::ranges::stable_sort(result.quicker, {}, &Mapping::predicted_cycles);
    std::ranges::stable_sort(result.beyond, {}, &Mapping::predicted_cycles);
    return result;
  }

  std::vector<Mapping> tile(const Mapping& divided, const Searcher& searcher, double known) {
    const std::vector<Mapping> greatest = {greatest_part(divided)};
    const SearchProblem part = {
        shared_.of(divided), problem_.network, problem_.work, problem_.homes, greatest, problem_.cost, known};
    std::vector<SearchResult::Found> found = searcher.search(part).found;
    if (searcher.leaves_choice()) add_variants(part, searcher, found);
    if (found.size() > tilings) found.resize(tilings);
    std::vector<Mapping> tiled;
    for (const auto& one : found) {
      if (auto mapping = with_tiles(divided, one.mapping)) tiled.push_back(std::move(*mapping));
    }
    return tiled;
  }

  /// Puts quicker tiles first that lie without gaps, or as at home on their way: many elements wait for bytes where one
  /// does not.
  void add_variants(const SearchProblem& part, const Searcher& searcher,
                    std::vector<SearchResult::Found>& found) const {
    if (found.empty()) return;
    const auto waits = [&](const Mapping& best) {
      return best.predicted_cycles > waiting * static_cast<double>(compute_bound(part.machine, best));
    };
    const Mapping first = found.front().mapping;
    if (!waits(first)) return;
    if (first.predicted_cycles < worth_without_gaps * part.known) {
      const double most = quicker_without_gaps * first.predicted_cycles;
      for (const Mapping& dense : with_dense_tiles(part, first).variants)
        add_quicker(part, searcher, dense, most, found);
    }
    const Mapping best = found.front().mapping;
    if (!waits(best)) return;
    if (const auto arranged = with_last_arranged(part, best))
      add_quicker(part, searcher, *arranged, best.predicted_cycles, found);
  }

  /// In front, those of the assignment's tilings that take less than `most` cycles.
  static void add_quicker(const SearchProblem& part, const Searcher& searcher, const Mapping& assignment, double most,
                          std::vector<SearchResult::Found>& found) {
    const std::vector<Mapping> assignments = {assignment};
    most = std::min(most, found.front().mapping.predicted_cycles);
    auto quicker = searcher.search(part.of(assignments, most)).found;
    std::erase_if(quicker, [&](const auto& one) { return one.mapping.predicted_cycles >= most; });
    found.insert(found.begin(), std::make_move_iterator(quicker.begin()), std::make_move_iterator(quicker.end()));
  }

  /// With the tiles of the greatest part; the others get the same, cut to their size, which may not be legal.
  std::optional<Mapping> with_tiles(Mapping divided, const Mapping& greatest) {
    adopt_tiling(divided, greatest);
    const auto units = static_cast<std::int64_t>(part_count(divided));
    divided.predicted_cycles =
        std::max(greatest.predicted_cycles, static_cast<double>(compute_bound(problem_.machine, divided, units)));
    if (!legal(divided, greatest)) return std::nullopt;
    return divided;
  }

  bool legal(const Mapping& divided, const Mapping& greatest) {
    const Machine& shared = shared_.of(divided);
    std::set<Extents> seen = {greatest.extent};
    Boxes boxes(divided);
    Extents origin, extent;
    do {
      boxes.read(origin, extent);
      if (!seen.insert(extent).second) continue;
      Mapping part = part_at(divided, origin, extent);
      for (std::size_t u = 0; u < part.uses.size(); ++u) part.uses[u].shared = greatest.uses[u].shared;
      Geometry geometry(shared, problem_.network, problem_.work, problem_.homes, part);
      if (!problem_.cost.cost(shared, geometry, problem_.work, part).error.empty()) return false;
    } while (boxes.next());
    return true;
  }

  const SearchProblem& problem_;
  SharedMachines& shared_;
  const Mapping& mapping_;
  const double known_;
  const std::size_t elements_;  ///< on which the mapping could run
  double least_ = infinite;     ///< predicted of a division
};

void mark_shared_units(std::vector<Mapping>& parts) {
  std::map<int, std::set<std::size_t>> users;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const auto& step : parts[p].steps) users[step.match.unit].insert(p);
  }
  for (Mapping& part : parts) {
    for (auto& step : part.steps) step.shares_unit = users[step.match.unit].size() > 1;
  }
}

}  // namespace

std::vector<Mapping> parts_of(const Machine& machine, const Mapping& mapping) {
  if (mapping.spatial.empty()) return {mapping};
  const std::vector<const Site*> sites = part_sites(machine, mapping);
  std::vector<std::vector<std::vector<SharedTiles>>> readings;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) readings.push_back(readings_of(machine, mapping, u));
  std::vector<Mapping> parts;
  Boxes boxes(mapping);
  Extents origin, extent;
  do {
    boxes.read(origin, extent);
    const std::size_t p = parts.size();
    Mapping& part = parts.emplace_back(moved_to(*sites[p], part_at(mapping, origin, extent)));
    for (std::size_t u = 0; u < part.uses.size(); ++u) part.uses[u].shared = readings[u][p];
  } while (boxes.next());
  mark_shared_units(parts);
  return parts;
}

Divided divide(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared, const Mapping& undivided,
               bool fewer, double known) {
  return Divider(problem, shared, undivided, known).quicker(searcher, fewer);
}

std::vector<Mapping> near_divided(const SearchProblem& problem, SharedMachines& shared, const Mapping& divided,
                                  std::size_t count) {
  return Divider(problem, shared, divided).near(count);
}

}  // namespace accord
