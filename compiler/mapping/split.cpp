#include "compiler/mapping/split.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/search.h"
#include "compiler/mapping/shared_reads.h"
#include "compiler/mapping/step_bound.h"

namespace accord {
namespace {

constexpr std::size_t searched = 6;    // divisions whose tiles are searched, least bound first
constexpr std::size_t tilings = 2;     // handed on of each
constexpr std::size_t most_loops = 3;  // loops that one division cuts
constexpr std::size_t most_divisions = 4096;

/// The part of a mapping that begins at `origin`, still on the first element.
Mapping part_at(const Mapping& mapping, const Extents& origin, const Extents& extent) {
  Mapping part = mapping;
  part.extent = extent;
  for (auto& tile : part.tile) {
    for (std::size_t it = 0; it < tile.size(); ++it) tile[it] = std::min(tile[it], extent[it]);
  }
  for (auto& use : part.uses) {
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

/// Of the on-chip memories that several parts use each has a region.
class Regions {
 public:
  Regions(const Architecture& architecture, const Mapping& mapping, std::span<const Site> sites)
      : architecture_(architecture), mapping_(mapping), sites_(sites) {
    for (std::size_t p = 0; p < sites.size(); ++p) {
      for (const int m : memories_of(p)) users_[m].push_back(p);
    }
  }

  void give(Mapping& part, std::size_t index) const {
    for (const int m : memories_of(index)) {
      const auto& users = users_.at(m);
      const Memory& memory = architecture_.memories[m];
      if (users.size() < 2 || memory.off_chip) continue;
      const Region all = region_of(architecture_, mapping_, m);
      const std::int64_t share = all.bytes / static_cast<std::int64_t>(users.size()) / memory.word * memory.word;
      const auto turn = std::ranges::lower_bound(users, index) - users.begin();
      part.regions[m] = {all.base + turn * share, share};
    }
  }

 private:
  std::set<int> memories_of(std::size_t part) const {
    std::set<int> memories;
    for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
      for (int level = 0; level < mapping_.uses[u].depth; ++level) {
        memories.insert(memory_at(architecture_, mapping_.uses[u], sites_[part].uses[u], level));
      }
    }
    return memories;
  }

  const Architecture& architecture_;
  const Mapping& mapping_;
  std::span<const Site> sites_;
  std::map<int, std::vector<std::size_t>> users_;  ///< by memory, ascending
};

/// Lists the divisions of a mapping over at most so many elements.
class Divisions {
 public:
  Divisions(const Machine& machine, const Work& work, const Mapping& mapping, std::int64_t elements)
      : machine_(machine), mapping_(mapping), elements_(elements) {
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      const int iterator = static_cast<int>(it);
      if (mapping.extent[it] > 1 && !is_reduction(work, mapping, iterator)) loops_.push_back(iterator);
    }
  }

  std::vector<std::vector<SpatialLoop>> all() {
    visit(0, 1);
    return {found_.begin(), found_.end()};
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
      now_.push_back({it, part});
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
        least = std::max({least, limits.dims[d].multiple, limits.dims[d].minimum});
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
  std::vector<SpatialLoop> now_;
  struct Order {
    bool operator()(const std::vector<SpatialLoop>& a, const std::vector<SpatialLoop>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return std::pair(x.iterator, x.part) < std::pair(y.iterator, y.part);
      });
    }
  };
  std::set<std::vector<SpatialLoop>, Order> found_;
};

/// Least cycles of a division's greatest part: its instructions, or its operands' bytes over the part's share of the
/// way to off-chip memory.
double part_bound(const Machine& shared, const Mapping& part) {
  double bound = static_cast<double>(compute_bound(shared, part));
  std::map<int, double> movers;
  for (const auto& use : part.uses) {
    if (use.hops.empty() || use.filled) continue;
    const Hop& hop = hop_at(use, 0);
    double bytes = static_cast<double>(accord::bytes(use.type));
    for (const auto& index : use.access.indices) bytes *= static_cast<double>(least_values(index, part.extent));
    movers[hop.unit] += bytes / use.shared.relief /
                        bytes_per_cycle(shared.architecture, shared.architecture.units[hop.unit].routes[hop.route]);
  }
  for (const auto& [unit, cycles] : movers) bound = std::max(bound, cycles);
  return bound;
}

/// Divisions of one mapping.
class Divider {
 public:
  /// The tiles of `mapping` may be a division's.
  Divider(const SearchProblem& problem, SharedMachines& shared, const Mapping& mapping)
      : problem_(problem),
        shared_(shared),
        mapping_(mapping),
        elements_(problem.machine.elements.sites(mapping).size()) {}

  /// Those that are quicker than the mapping itself.
  std::vector<Mapping> quicker(const Searcher& searcher) {
    std::vector<Mapping> quicker;
    if (elements_ < 2) return quicker;
    for (auto& division : most_promising()) {
      Mapping divided = mapping_;
      divided.spatial = std::move(division);
      divided.scheduled = false;
      divided.measured_cycles = 0;
      for (auto& tiled : tile(divided, searcher)) {
        if (tiled.predicted_cycles < mapping_.predicted_cycles) quicker.push_back(std::move(tiled));
      }
    }
    std::stable_sort(quicker.begin(), quicker.end(),
                     [](const Mapping& a, const Mapping& b) { return a.predicted_cycles < b.predicted_cycles; });
    return quicker;
  }

  /// Other tiles near those of the mapping, which is divided.
  std::vector<Mapping> near(std::size_t count) {
    std::vector<Mapping> result;
    const Mapping greatest = confined_part(mapping_);
    for (const auto& part :
         near_tilings(shared_.of(mapping_), problem_.network, problem_.work, problem_.homes, greatest, count)) {
      if (auto tiled = with_tiles(mapping_, part)) result.push_back(std::move(*tiled));
    }
    return result;
  }

 private:
  using Division = std::vector<SpatialLoop>;

  Mapping greatest_part(const Mapping& divided) {
    Extents extent = divided.extent;
    for (const auto& loop : divided.spatial) extent[loop.iterator] = loop.part;
    Mapping part = part_at(divided, Extents(extent.size(), 0), extent);
    for (std::size_t u = 0; !problem_.machine.multicasts.empty() && u < part.uses.size(); ++u) {
      part.uses[u].shared = shared_.reading(divided, u);
    }
    return part;
  }

  /// The same within the memory that the other parts leave it.
  Mapping confined_part(const Mapping& divided) {
    Mapping part = greatest_part(divided);
    Regions(problem_.machine.architecture, divided, part_sites(problem_.machine, divided)).give(part, 0);
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

  /// Those with the least bounds of all, as far as they may be quicker than the mapping itself. Machines as parts share
  /// them take long to make: only divisions that come first by their instructions are looked at so closely.
  std::vector<Division> most_promising() {
    struct Bounded {
      double cycles;
      bool exact;
      std::size_t index;
      auto operator<=>(const Bounded&) const = default;
    };
    const auto most = static_cast<std::int64_t>(elements_);
    std::vector<Division> all = Divisions(problem_.machine, problem_.work, mapping_, most).all();
    Mapping divided = mapping_;
    divided.tile.clear();
    std::priority_queue<Bounded, std::vector<Bounded>, std::greater<>> open;
    for (std::size_t d = 0; d < all.size(); ++d) {
      divided.spatial = all[d];
      open.push({compute_cycles(divided), false, d});
    }
    std::vector<Division> least;
    while (!open.empty() && least.size() < searched && open.top().cycles < mapping_.predicted_cycles) {
      const Bounded first = open.top();
      open.pop();
      divided.spatial = all[first.index];
      if (first.exact) {
        least.push_back(std::move(divided.spatial));
      } else {
        open.push({least_cycles(divided), true, first.index});
      }
    }
    return least;
  }

  std::vector<Mapping> tile(Mapping divided, const Searcher& searcher) {
    divided.tile.clear();
    const std::vector<Mapping> greatest = {confined_part(divided)};
    SearchResult result = searcher.search(
        {shared_.of(divided), problem_.network, problem_.work, problem_.homes, greatest, problem_.cost});
    if (result.found.size() > tilings) result.found.resize(tilings);
    std::vector<Mapping> tiled;
    for (const auto& found : result.found) {
      if (auto mapping = with_tiles(divided, found.mapping)) tiled.push_back(std::move(*mapping));
    }
    return tiled;
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
      part.regions = greatest.regions;
      Geometry geometry(shared, problem_.network, problem_.work, problem_.homes, part);
      if (!problem_.cost.cost(shared, geometry, problem_.work, part).error.empty()) return false;
    } while (boxes.next());
    return true;
  }

  const SearchProblem& problem_;
  SharedMachines& shared_;
  const Mapping& mapping_;
  const std::size_t elements_;  ///< on which the mapping could run
};

}  // namespace

std::vector<Mapping> parts_of(const Machine& machine, const Mapping& mapping) {
  if (mapping.spatial.empty()) return {mapping};
  const std::span<const Site> sites = part_sites(machine, mapping);
  const Regions regions(machine.architecture, mapping, sites);
  std::vector<std::vector<SharedTiles>> readings;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) readings.push_back(readings_of(machine, mapping, u));
  std::vector<Mapping> parts;
  Boxes boxes(mapping);
  Extents origin, extent;
  do {
    boxes.read(origin, extent);
    const std::size_t p = parts.size();
    Mapping& part = parts.emplace_back(moved_to(sites[p], part_at(mapping, origin, extent)));
    for (std::size_t u = 0; u < part.uses.size(); ++u) part.uses[u].shared = readings[u][p];
    if (sites.size() > 1) regions.give(part, p);
  } while (boxes.next());
  return parts;
}

std::vector<Mapping> divide(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared,
                            const Mapping& undivided) {
  return Divider(problem, shared, undivided).quicker(searcher);
}

std::vector<Mapping> near_divided(const SearchProblem& problem, SharedMachines& shared, const Mapping& divided,
                                  std::size_t count) {
  return Divider(problem, shared, divided).near(count);
}

}  // namespace accord
