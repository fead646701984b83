#include "compiler/mapping/split.h"

#include <algorithm>
#include <cassert>
#include <map>
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

/// Gives each part its region of the on-chip memories that several parts use.
void give_regions(const Architecture& architecture, std::vector<Mapping>& parts) {
  if (parts.size() < 2) return;
  std::vector<std::vector<std::size_t>> users(architecture.memories.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::set<int> memories;
    for (const auto& use : parts[p].uses) {
      for (int level = 0; level < use.depth; ++level) memories.insert(memory_at(architecture, use, level));
    }
    for (const int m : memories) users[m].push_back(p);
  }
  for (std::size_t m = 0; m < users.size(); ++m) {
    const Memory& memory = architecture.memories[m];
    if (users[m].size() < 2 || memory.off_chip) continue;
    const Region all = region_of(architecture, parts[users[m].front()], static_cast<int>(m));
    const std::int64_t share = all.bytes / static_cast<std::int64_t>(users[m].size()) / memory.word * memory.word;
    for (std::size_t i = 0; i < users[m].size(); ++i) {
      parts[users[m][i]].regions[static_cast<int>(m)] = {all.base + static_cast<std::int64_t>(i) * share, share};
    }
  }
}

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

/// The mapping on another element.
Mapping on_element(const Mapping& mapping, const Mapping& image) {
  Mapping moved = mapping;
  for (std::size_t s = 0; s < moved.steps.size(); ++s) moved.steps[s].match = image.steps[s].match;
  for (std::size_t u = 0; u < moved.uses.size(); ++u) {
    moved.uses[u].memory = image.uses[u].memory;
    moved.uses[u].hops = image.uses[u].hops;
  }
  return moved;
}

/// Divisions of one mapping.
class Divider {
 public:
  /// The tiles of `mapping` may be a division's.
  Divider(const SearchProblem& problem, SharedMachines& shared, const Mapping& mapping)
      : problem_(problem), shared_(shared), mapping_(mapping), images_(problem.machine.elements.images(mapping)) {}

  /// Those that are quicker than the mapping itself.
  std::vector<Mapping> quicker(const Searcher& searcher) {
    std::vector<Mapping> quicker;
    if (images_.size() < 2) return quicker;
    const auto divisions = ranked();
    for (std::size_t i = 0; i < std::min(divisions.size(), searched); ++i) {
      if (divisions[i].first >= mapping_.predicted_cycles) break;
      Mapping divided = mapping_;
      divided.spatial = divisions[i].second;
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
         near_tilings(share(mapping_), problem_.network, problem_.work, problem_.homes, greatest, count)) {
      if (auto tiled = with_tiles(mapping_, part)) result.push_back(std::move(*tiled));
    }
    return result;
  }

 private:
  using Division = std::vector<SpatialLoop>;

  const Machine& share(const Mapping& divided) {
    return shared_.of(std::span<const Mapping>(images_).first(part_count(divided)));
  }

  Mapping greatest_part(const Mapping& divided) const {
    Extents extent = divided.extent;
    for (const auto& loop : divided.spatial) extent[loop.iterator] = loop.part;
    Mapping part = part_at(divided, Extents(extent.size(), 0), extent);
    for (std::size_t u = 0; !problem_.machine.multicasts.empty() && u < part.uses.size(); ++u) {
      part.uses[u].shared = typical(readings_of(problem_.machine, divided, images_, u));
    }
    return part;
  }

  /// The same within the memory that the other parts leave it.
  Mapping confined_part(const Mapping& divided) const {
    std::vector<Mapping> users(images_.begin(), images_.begin() + static_cast<std::ptrdiff_t>(part_count(divided)));
    give_regions(problem_.machine.architecture, users);
    Mapping part = greatest_part(divided);
    part.regions = users.front().regions;
    return part;
  }

  double least_cycles(const Mapping& divided) {
    const auto units = static_cast<std::int64_t>(part_count(divided));
    return std::max(part_bound(share(divided), greatest_part(divided)),
                    static_cast<double>(compute_bound(problem_.machine, divided, units)));
  }

  std::vector<std::pair<double, Division>> ranked() {
    std::vector<std::pair<double, Division>> result;
    Mapping divided = mapping_;
    divided.tile.clear();
    for (auto& division :
         Divisions(problem_.machine, problem_.work, mapping_, static_cast<std::int64_t>(images_.size())).all()) {
      divided.spatial = division;
      result.emplace_back(least_cycles(divided), std::move(division));
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
  }

  std::vector<Mapping> tile(Mapping divided, const Searcher& searcher) {
    divided.tile.clear();
    const std::vector<Mapping> greatest = {confined_part(divided)};
    SearchResult result =
        searcher.search({share(divided), problem_.network, problem_.work, problem_.homes, greatest, problem_.cost});
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
    const Machine& shared = share(divided);
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
  std::vector<Mapping> images_;
};

}  // namespace

std::vector<Mapping> parts_of(const Machine& machine, const Mapping& mapping) {
  if (mapping.spatial.empty()) return {mapping};
  const auto images = machine.elements.images(mapping);
  std::vector<Mapping> parts;
  std::vector<std::vector<SharedTiles>> readings;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) readings.push_back(readings_of(machine, mapping, images, u));
  Boxes boxes(mapping);
  Extents origin, extent;
  do {
    assert(parts.size() < images.size());
    boxes.read(origin, extent);
    const std::size_t p = parts.size();
    Mapping& part = parts.emplace_back(on_element(part_at(mapping, origin, extent), images[p]));
    for (std::size_t u = 0; u < part.uses.size(); ++u) part.uses[u].shared = readings[u][p];
  } while (boxes.next());
  give_regions(machine.architecture, parts);
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
