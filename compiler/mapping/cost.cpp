#include "compiler/mapping/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archdsl/graph/rates.h"

namespace accord {
namespace {

/// Cycles that one stored instruction counts for on a machine with hardware loops, where code is a choice: its fetch
/// from off-chip memory, of which a packet hides most.
constexpr double code_weight = 0.1;

std::int64_t trips(std::int64_t whole, std::int64_t tile) { return (whole + tile - 1) / tile; }

std::int64_t outer_extent(const Mapping& mapping, int level, int it) {
  return level == 0 ? mapping.extent[it] : mapping.tile[level - 1][it];
}

/// Sizes that an iterator's tile of the level `last` takes, with how often each occurs.
std::vector<std::pair<std::int64_t, std::int64_t>> box_classes(const Mapping& mapping, int it, int last) {
  std::vector<std::pair<std::int64_t, std::int64_t>> classes = {{mapping.extent[it], 1}};
  for (int level = 0; level <= last; ++level) {
    std::vector<std::pair<std::int64_t, std::int64_t>> next;
    auto add = [&](std::int64_t size, std::int64_t count) {
      if (size == 0 || count == 0) return;
      for (auto& [s, c] : next) {
        if (s == size) {
          c += count;
          return;
        }
      }
      next.emplace_back(size, count);
    };
    for (const auto& [size, count] : classes) {
      const std::int64_t tile = std::min(mapping.tile[level][it], size);
      add(tile, count * (size / tile));
      add(size % tile, count);
    }
    classes = std::move(next);
  }
  return classes;
}

class Predictor {
 public:
  Predictor(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping)
      : machine_(machine), geometry_(geometry), work_(work), mapping_(mapping) {
    cost_.unit_cycles.assign(machine.architecture.units.size(), 0);
  }

  /// Partial results stay where they are only while the tiles inside do not move on to other results.
  bool keeps_partial_results() const {
    int depth = 0;
    for (const auto& use : mapping_.uses) {
      const bool target = use.step == 0 && (use.role == UseRole::accumulator || use.role == UseRole::output);
      if (target) depth = use.depth;
    }
    bool split = false;
    for (int level = 0; level < depth; ++level) {
      bool splits_here = false;
      for (std::size_t i = 0; i < mapping_.extent.size(); ++i) {
        const int it = static_cast<int>(i);
        if (mapping_.tile[level][it] >= outer_extent(mapping_, level, it)) continue;
        if (split && !is_reduction(work_, mapping_, it)) return false;
        splits_here = splits_here || is_reduction(work_, mapping_, it);
      }
      split = split || splits_here;
    }
    return true;
  }

  Cost run() {
    if (!keeps_partial_results()) {
      cost_.error = "partial results would have to leave their memory";
      return cost_;
    }
    const auto bytes = footprint(machine_, geometry_, mapping_, cost_.error);
    if (!cost_.error.empty()) return cost_;
    for (std::size_t m = 0; m < bytes.size(); ++m) {
      const Memory& memory = machine_.architecture.memories[m];
      const std::int64_t room = region_of(machine_.architecture, mapping_, static_cast<int>(m)).bytes;
      if (!memory.off_chip && bytes[m] > room) {
        cost_.error = fmt::format("{} needs {} bytes and has {}", memory.name, bytes[m], room);
        return cost_;
      }
    }
    for (std::size_t u = 0; u < mapping_.uses.size() && cost_.error.empty(); ++u) add_use(static_cast<int>(u));
    for (std::size_t s = 0; s < mapping_.steps.size() && cost_.error.empty(); ++s) add_step(static_cast<int>(s));
    double sum = 0, busiest = 0;
    for (const double cycles : cost_.unit_cycles) {
      sum += cycles;
      busiest = std::max(busiest, cycles);
    }
    cost_.cycles = busiest + first_ + 0.02 * sum + code_weight * code();
    return cost_;
  }

 private:
  void add_use(int u);
  bool cuts_between_blocks(int u, int level);
  int levels_inside(const Use& use) const;
  void add_step(int s);
  double average(const Use& use, int level) const;
  /// Level whose boxes the step works on.
  int last_level(int s) const { return s == 0 ? mapping_.levels - 1 : std::max(target_level(mapping_), 0); }
  std::vector<UseView> views(int s, const Extents& box);
  void add_boxes(int s, std::size_t it, Extents& box, std::int64_t count);
  void add_box(int s, const Extents& box, std::int64_t count);
  bool reduces_in_one(const StepShape& shape, const Extents& box) const;

  const Machine& machine_;
  Geometry& geometry_;
  const Work& work_;
  const Mapping& mapping_;
  /// Instructions in the program: what the innermost loop repeats stands there about four times.
  double code() const {
    if (machine_.architecture.controller.loop_depth == 0) return 0;
    std::int64_t turns = 1;
    const int inner = mapping_.levels - 1;
    for (const int it : mapping_.order[inner]) {
      const std::int64_t n = trips(outer_extent(mapping_, inner, it), mapping_.tile[inner][it]);
      if (n > 1) turns = n;
    }
    return outer_code_ + inner_code_ * (turns >= 6 ? 4.0 / static_cast<double>(turns) : 1.0);
  }

  Cost cost_;
  double first_ = 0;
  double outer_code_ = 0;  ///< instructions outside the innermost level's loops
  double inner_code_ = 0;  ///< executed inside
};

/// Mean size of the use's tiles over the full tile.
double Predictor::average(const Use& use, int level) const {
  double share = 1;
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
    if (!depends(use.access, static_cast<int>(it))) continue;
    const std::int64_t whole = outer_extent(mapping_, level, static_cast<int>(it));
    const std::int64_t tile = mapping_.tile[level][it];
    share *= static_cast<double>(whole) / static_cast<double>(trips(whole, tile) * tile);
  }
  return share;
}

/// Whether the tiles of a level begin where blocks of lanes begin in the use's tile outside it.
bool Predictor::cuts_between_blocks(int u, int level) {
  const int holder = std::min(level, mapping_.uses[u].depth) - 1;
  const Layout& outside = geometry_.layout(u, holder, mapping_.tile[holder]);
  for (const auto& group : outside.groups) {
    if (group.extent <= group.block) continue;
    std::int64_t inside = 1;
    bool whole = true;
    for (const int a : group.axes) {
      std::int64_t extent = 1;
      for (const auto& [it, coefficient] : outside.axes[a].terms) {
        extent += coefficient * (mapping_.tile[level][it] - 1);
      }
      if (extent > 1 && !whole) return false;
      whole = whole && extent == outside.axes[a].extent;
      inside *= extent;
    }
    if (!whole && inside % group.block != 0) return false;
  }
  return true;
}

/// Tiles of levels below this lie within one of the use's: the main step's go down to the last, the others' end where
/// the sums are; from there on they are moved whole.
int Predictor::levels_inside(const Use& use) const {
  if (use.depth == 0 || (use.role == UseRole::accumulator && use.step != 0)) return 0;
  if (use.step == 0 && use.role != UseRole::start) return mapping_.levels;
  return target_level(mapping_) + 1;
}

void Predictor::add_use(int u) {
  const Use& use = mapping_.uses[u];
  for (int level = 1; level < levels_inside(use); ++level) {
    if (use.role == UseRole::accumulator && level < use.depth) continue;
    if (cuts_between_blocks(u, level)) continue;
    cost_.error = "tiles would cut blocks of lanes";
    return;
  }
  if (use.role == UseRole::accumulator) return;
  for (int level = 0; level < use.depth; ++level) {
    const int at = box_level(mapping_, use, level);
    const TileMove& move = geometry_.move(
        u, level, mapping_.tile[at], level == 0 ? mapping_.extent : mapping_.tile[box_level(mapping_, use, level - 1)]);
    if (!move.error.empty()) {
      cost_.error = move.error;
      return;
    }
    const Hop& hop = hop_at(use, level);
    double cycles = 0;
    for (const auto& piece : move.pieces) cycles += piece_cycles(machine_.architecture, hop, piece);
    std::int64_t times = fills(mapping_, use, at);
    if (use.role == UseRole::start && level + 1 == use.depth) {
      times = 1;
      for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
        if (is_reduction(work_, mapping_, static_cast<int>(it))) continue;
        for (int l = 0; l <= at; ++l)
          times *= trips(outer_extent(mapping_, l, static_cast<int>(it)), mapping_.tile[l][it]);
      }
    }
    cost_.unit_cycles[hop.unit] += cycles * static_cast<double>(times) * average(use, at);
    const bool inside = level + 1 == mapping_.levels && use.step == 0 && use.role == UseRole::input;
    (inside ? inner_code_ : outer_code_) += static_cast<double>(move.pieces.size()) * static_cast<double>(times);
    if (level == 0) first_ += std::min(cycles, cycles * average(use, at));
  }
}

std::vector<UseView> Predictor::views(int s, const Extents& box) {
  std::vector<UseView> result;
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.step != s || use.role == UseRole::start) continue;
    const int index = static_cast<int>(u);
    // A tile's remainder has a layout of its own; inner levels see the box, outer ones the tile.
    const int at = box_level(mapping_, use, std::max(use.depth - 1, 0));
    const Extents& extents = use.depth > 0 && at == last_level(s) ? box : mapping_.tile[at];
    result.push_back({index, use.depth == 0 ? nullptr : &geometry_.layout(index, use.depth - 1, extents),
                      use.depth == 0 ? &geometry_.strides(index) : nullptr});
  }
  return result;
}

/// Whether one instruction sees the whole reduction.
bool Predictor::reduces_in_one(const StepShape& shape, const Extents& box) const {
  auto reduces = [&](int it) { return box[it] > 1 && is_reduction(work_, mapping_, it); };
  if (std::any_of(shape.loops.begin(), shape.loops.end(), reduces)) return false;
  return std::all_of(shape.dims.begin(), shape.dims.end(), [&](const StepShape::Dim& dim) {
    return dim.flat <= dim.maximum || std::none_of(dim.counted.begin(), dim.counted.end(), reduces);
  });
}

void Predictor::add_box(int s, const Extents& box, std::int64_t count) {
  const auto seen = views(s, box);
  for (const auto& view : seen) {
    if (view.layout != nullptr && !view.layout->error.empty()) {
      cost_.error = view.layout->error;
      return;
    }
  }
  const StepShape shape = shape_step(machine_, mapping_, s, seen, box);
  if (!shape.error.empty()) {
    cost_.error = shape.error;
    return;
  }
  if (s == 0 && mapping_.reduces_at_once && !reduces_in_one(shape, box)) {
    cost_.error = "the capability initialises its target, but the reduction takes several instructions";
    return;
  }
  const StepCycles cycles = cycles_of(machine_, mapping_, s, shape, box);
  const int unit = mapping_.steps[s].match.unit;
  cost_.unit_cycles[unit] += static_cast<double>(count) * static_cast<double>(cycles.cycles);
  (s == 0 ? inner_code_ : outer_code_) += static_cast<double>(count) * static_cast<double>(cycles.instructions);
  // A mover's capability also moves its off-chip operands.
  const Unit& mover = machine_.architecture.units[unit];
  if (mover.kind != UnitKind::mover) return;
  double points = 1;
  for (const auto extent : box) points *= static_cast<double>(extent);
  for (const auto& view : seen) {
    if (view.layout != nullptr) continue;
    double bytes = static_cast<double>(geometry_.element_bytes(view.use));
    for (std::size_t it = 0; it < box.size(); ++it) {
      if (depends(mapping_.uses[view.use].access, static_cast<int>(it))) bytes *= static_cast<double>(box[it]);
    }
    const double width =
        mover.link < 0 ? static_cast<double>(mover.request) : bytes_per_cycle(machine_.architecture.links[mover.link]);
    cost_.unit_cycles[unit] +=
        static_cast<double>(count) * std::max(0.0, bytes / width - static_cast<double>(cycles.cycles));
  }
}

void Predictor::add_boxes(int s, std::size_t it, Extents& box, std::int64_t count) {
  if (!cost_.error.empty()) return;
  if (it == box.size()) {
    add_box(s, box, count);
    return;
  }
  const bool relevant = s == 0 || !is_reduction(work_, mapping_, static_cast<int>(it));
  if (!relevant) {
    box[it] = 1;
    add_boxes(s, it + 1, box, count);
    return;
  }
  for (const auto& [size, times] : box_classes(mapping_, static_cast<int>(it), last_level(s))) {
    box[it] = size;
    add_boxes(s, it + 1, box, count * times);
  }
}

void Predictor::add_step(int s) {
  Extents box(mapping_.extent.size(), 1);
  add_boxes(s, 0, box, 1);
}

}  // namespace

Cost predict(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) {
  return Predictor(machine, geometry, work, mapping).run();
}

std::int64_t fills(const Mapping& mapping, const Use& use, int level) {
  std::int64_t all = 1;
  std::int64_t until_relevant = 1;
  for (int l = 0; l <= level; ++l) {
    for (const int it : mapping.order[l]) {
      const std::int64_t n = trips(outer_extent(mapping, l, it), mapping.tile[l][it]);
      all *= n;
      if (n > 1 && depends(use.access, it)) until_relevant = all;
    }
  }
  return until_relevant;
}

int copies_at(const Mapping& mapping, int use, int level) {
  const Use& u = mapping.uses[use];
  if (level > 0) return 1;
  if (u.role == UseRole::accumulator || u.role == UseRole::output) {
    return mapping.buffers.empty() ? 2 : mapping.buffers[use];
  }
  if (!mapping.buffers.empty() && mapping.buffers[use] == 1) return 1;
  return fills(mapping, u, level) > 1 ? 2 : 1;
}

std::vector<std::int64_t> footprint(const Machine& machine, Geometry& geometry, const Mapping& mapping,
                                    std::string& error) {
  std::vector<std::int64_t> bytes(machine.architecture.memories.size(), 0);
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    const int index = static_cast<int>(u);
    if (use.role == UseRole::accumulator && use.step != 0) continue;
    for (int level = 0; level < use.depth; ++level) {
      if (use.role == UseRole::accumulator && level + 1 != use.depth) continue;
      if (use.role == UseRole::start && level + 1 == use.depth) continue;
      const Layout& layout = geometry.layout(index, level, mapping.tile[box_level(mapping, use, level)]);
      if (!layout.error.empty()) {
        error = layout.error;
        return bytes;
      }
      bytes[memory_at(machine.architecture, use, level)] += layout.bytes * copies_at(mapping, index, level);
    }
  }
  return bytes;
}

double piece_cycles(const Architecture& architecture, const Hop& hop, const TransferPiece& piece) {
  const Unit& unit = architecture.units[hop.unit];
  const Route& route = unit.routes[hop.route];
  const Memory& target = architecture.memories[route.target];
  const double width = bytes_per_cycle(architecture, route);
  const std::int64_t latency = latency_of(architecture.memories[route.source]) + way_latency(architecture, route);
  const std::int64_t chunk = std::min(unit.request, std::max<std::int64_t>(piece.contiguous, 1));
  const double requests = std::ceil(static_cast<double>(piece.source_bytes) / static_cast<double>(chunk));
  const double beats = requests * std::ceil(static_cast<double>(chunk) / width);
  const double in_flight = requests * static_cast<double>(latency + 2) / static_cast<double>(unit.in_flight);
  const double runs =
      static_cast<double>(piece.bytes) / static_cast<double>(std::max<std::int64_t>(piece.extent[0], 1));
  const auto words = static_cast<std::int64_t>(
      runs * std::ceil(static_cast<double>(piece.extent[0]) / static_cast<double>(target.word)));
  const auto writes = static_cast<double>(target.period.cycles(words));
  return std::max({beats, in_flight, writes, 1.0});
}

}  // namespace accord
