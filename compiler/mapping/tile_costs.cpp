#include "compiler/mapping/tile_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/address_units.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/padding.h"

namespace accord {
namespace {

/// Sizes that the iterators' tiles take at each level, with how often each occurs.
class BoxClasses {
 public:
  using Sizes = boost::container::small_vector<std::pair<std::int64_t, std::int64_t>, 4>;  ///< size, count

  explicit BoxClasses(const Mapping& mapping)
      : iterators_(mapping.extent.size()), classes_(iterators_ * static_cast<std::size_t>(mapping.levels)) {
    for (std::size_t it = 0; it < iterators_; ++it) {
      const Sizes whole = {{mapping.extent[it], 1}};
      const Sizes* outer = &whole;
      for (int level = 0; level < mapping.levels; ++level) {
        Sizes& inner = classes_[static_cast<std::size_t>(level) * iterators_ + it];
        cut(*outer, mapping.tile[level][it], inner);
        outer = &inner;
      }
    }
  }

  const Sizes& of(int level, std::size_t it) const {
    return classes_[static_cast<std::size_t>(level) * iterators_ + it];
  }

 private:
  static void cut(const Sizes& outer, std::int64_t most, Sizes& inner) {
    for (const auto& [size, count] : outer) {
      const std::int64_t tile = std::min(most, size);
      add(inner, tile, count * (size / tile));
      add(inner, size % tile, count);
    }
  }

  static void add(Sizes& sizes, std::int64_t size, std::int64_t count) {
    if (size == 0 || count == 0) return;
    const auto known = std::ranges::find(sizes, size, [](const auto& entry) { return entry.first; });
    if (known == sizes.end()) {
      sizes.emplace_back(size, count);
    } else {
      known->second += count;
    }
  }

  std::size_t iterators_;
  std::vector<Sizes> classes_;
};

/// Calls fn(box) for the whole and the remaining boxes of a level, as far as a use depends on them; where it does not,
/// and before iterator `it`, `box` stays.
template <typename Fn>
void for_each_box(const BoxClasses& classes, const std::vector<bool>& depends, int level, Extents& box, Fn&& fn,
                  std::size_t it = 0) {
  while (it < box.size() && !depends[it]) ++it;
  if (it == box.size()) return fn(box);
  const std::int64_t whole = box[it];
  for (const auto& [size, count] : classes.of(level, it)) {
    box[it] = size;
    for_each_box(classes, depends, level, box, fn, it + 1);
  }
  box[it] = whole;
}

TileBytes bytes_of_tiles(Geometry& geometry, const Mapping& mapping, const BoxClasses& classes, std::string& error) {
  TileBytes bytes(mapping.uses.size(), std::vector<std::int64_t>(static_cast<std::size_t>(mapping.levels), 0));
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    const Use& use = mapping.uses[u];
    if (use.role == UseRole::accumulator && use.step != 0) continue;
    for (int level = first_level(use); level < use.depth; ++level) {
      const bool innermost = level + 1 == use.depth;
      if (use.role == UseRole::start && innermost) continue;
      const int at = box_level(mapping, use, level);
      Extents box = mapping.tile[at];
      // What remains of a tile may be laid otherwise, and take more.
      for_each_box(classes, geometry.fixed()->depends[u], at, box, [&](const Extents& extents) {
        const Layout& layout = geometry.layout(u, level, extents);
        bytes[u][level] = std::max(bytes[u][level], round_up(layout.bytes, geometry.place_unit(u, level)));
        if (error.empty()) error = layout.error;
      });
    }
  }
  return bytes;
}

/// Around the greatest instruction of a step.
std::int64_t greatest_latency(const Machine& machine, const StatementPlan& step) {
  const Capability& capability = machine.capability(step.match);
  std::vector<std::int64_t> values;
  for (const auto& dim : capability.dims) values.push_back(dim.maximum);
  for (const auto& operand : capability.operands) {
    if (operand.held) values.push_back(1);
  }
  return latency_around(machine, step.match, values);
}

class TileMeasure {
 public:
  TileMeasure(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping)
      : machine_(machine), geometry_(geometry), work_(work), mapping_(mapping), classes_(mapping) {
    costs_.step_cycles.assign(mapping.steps.size(), 0);
    costs_.step_instructions.assign(mapping.steps.size(), 0);
    costs_.step_dram.resize(mapping.steps.size());
    costs_.fixed = geometry.fixed();
  }

  TileCosts run() {
    if (!keeps_partial_results()) costs_.error = "partial results would have to leave their memory";
    const int uses = static_cast<int>(mapping_.uses.size());
    if (costs_.error.empty()) costs_.bytes = bytes_of_tiles(geometry_, mapping_, classes_, costs_.error);
    if (costs_.error.empty()) check_room();
    for (int u = 0; u < uses && costs_.error.empty(); ++u) add_use(u);
    for (std::size_t s = 0; s < mapping_.steps.size() && costs_.error.empty(); ++s) add_step(static_cast<int>(s));
    return std::move(costs_);
  }

 private:
  bool keeps_partial_results() const;
  void check_room();
  std::string error_of_rest(int u, int level, const Extents& outer);
  void add_use(int u);
  bool repeats_in_parts(const Use& use) const;
  bool holds_padding_on_others(const Use& use) const;
  bool cuts_between_blocks(int u, int level);
  int levels_inside(const Use& use) const;
  double share_that_begins(int s) const;
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
  const BoxClasses classes_;
  TileCosts costs_;
};

/// Partial results stay where they are only while the tiles inside do not move on to other results.
bool TileMeasure::keeps_partial_results() const {
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

/// One copy of each tile must fit, whatever else is chosen.
void TileMeasure::check_room() {
  const auto bytes = footprint(machine_, mapping_, costs_.bytes, [](int, int) { return 1; });
  costs_.error = overfull(machine_, costs_.fixed->rooms, bytes);
}

/// Mean size of the use's tiles over the full tile.
double TileMeasure::average(const Use& use, int level) const {
  double share = 1;
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
    if (!depends(use.access, static_cast<int>(it))) continue;
    const std::int64_t whole = outer_extent(mapping_, level, static_cast<int>(it));
    const std::int64_t tile = mapping_.tile[level][it];
    share *= static_cast<double>(whole) / static_cast<double>(ceil_div(whole, tile) * tile);
  }
  return share;
}

/// Whether tiles begin where blocks of lanes begin in the layout of the box `outer` around them.
bool begin_with_blocks(const Layout& outside, const Extents& outer, const Extents& tiles) {
  for (const auto& group : outside.groups) {
    if (group.extent <= group.block) continue;
    std::int64_t inside = 1;
    bool whole = true;
    for (const int a : group.axes) {
      std::int64_t extent = 1;
      for (const auto& [it, coefficient] : outside.axes[a].terms) {
        const std::int64_t tile = std::min(tiles[it], outer[it]);
        extent += coefficient * (tile - 1);
        if (tile < outer[it] && coefficient * tile * outside.axes[a].weight % group.block != 0) return false;
      }
      if (extent > 1 && !whole) return false;
      whole = whole && extent == outside.axes[a].extent;
      inside *= extent;
    }
    if (!whole && inside % group.block != 0) return false;
  }
  return true;
}

/// Whether the tiles of a level begin where blocks of lanes begin in the use's tile outside it, a whole or a remaining
/// one.
bool TileMeasure::cuts_between_blocks(int u, int level) {
  const int holder = std::min(level, mapping_.uses[u].depth) - 1;
  Extents outer = mapping_.tile[holder];
  bool all = true;
  for_each_box(classes_, geometry_.fixed()->depends[u], holder, outer, [&](const Extents& box) {
    all = all && begin_with_blocks(geometry_.layout(u, holder, box), box, mapping_.tile[level]);
  });
  return all;
}

/// Tiles of levels below this lie within one of the use's: the main step's go down to the last, the others' end where
/// the sums are; from there on they are moved whole.
int TileMeasure::levels_inside(const Use& use) const {
  if (use.depth == 0 || (use.role == UseRole::accumulator && use.step != 0)) return 0;
  if (use.step == 0 && use.role != UseRole::start) return mapping_.levels;
  return target_level(mapping_) + 1;
}

/// Why what remains of the use's tiles cannot be moved, where transfers count their bytes in units, or rows follow each
/// other without gaps: these may end within a unit, of bytes or of steps.
std::string TileMeasure::error_of_rest(int u, int level, const Extents& outer) {
  const Use& use = mapping_.uses[u];
  const Hop& hop = hop_at(use, level);
  std::string error;
  if (machine_.limits.route(hop.unit, hop.route)->run_unit == 1 && !use.as_home) return error;
  const int at = box_level(mapping_, use, level);
  Extents box = mapping_.tile[at];
  for_each_box(classes_, geometry_.fixed()->depends[u], at, box, [&](const Extents& extents) {
    if (error.empty()) error = geometry_.move(u, level, extents, outer).error;
  });
  return error;
}

/// Of what is carried: whether tiles hold a repetition of it in parts of several sizes. Each would be brought anew.
bool TileMeasure::repeats_in_parts(const Use& use) const {
  const Access& target = mapping_.uses[target_use(mapping_)].access;
  for (std::size_t i = 0; i < mapping_.extent.size(); ++i) {
    const int it = static_cast<int>(i);
    const bool repeats = depends(target, it) && !depends(use.access, it);
    if (repeats && mapping_.extent[i] % mapping_.tile.front()[i] != 0) return true;
  }
  return false;
}

/// Of results: whether what is padded lies on others in a tile, or at home, where instructions cannot leave it out.
bool TileMeasure::holds_padding_on_others(const Use& use) const {
  if (use.role != UseRole::output && use.role != UseRole::accumulator) return false;
  const Extents& box = use.depth == 0 ? mapping_.extent : mapping_.tile[box_level(mapping_, use, 0)];
  return laps_over(work_of(work_, mapping_), use.access, box);
}

void TileMeasure::add_use(int u) {
  const Use& use = mapping_.uses[u];
  for (int level = 1; level < levels_inside(use); ++level) {
    if (use.role == UseRole::accumulator && level < use.depth) continue;
    if (cuts_between_blocks(u, level)) continue;
    costs_.error = "tiles would cut blocks of lanes";
    return;
  }
  if (holds_padding_on_others(use)) {
    costs_.error = "padded results would lie on others";
    return;
  }
  if (use.role == UseRole::accumulator) return;
  if (is_carried(work_, use) && repeats_in_parts(use)) {
    costs_.error = "what is repeated would be cut into unequal parts";
    return;
  }
  if (geometry_.spills(u)) {
    costs_.error = "results would lie where others rely on the margin";
    return;
  }
  const bool kept = geometry_.kept_on_chip(u);
  if ((kept && !tiles_begin_at_units(machine_, mapping_, u, geometry_.strides(u))) ||
      !parts_begin_at_units(machine_, mapping_, use)) {
    costs_.error = "tiles would begin inside what instructions count as one unit of address";
    return;
  }
  for (int level = 0; level < use.depth; ++level) {
    const int at = box_level(mapping_, use, level);
    const Extents& outer = level == 0 ? mapping_.extent : mapping_.tile[box_level(mapping_, use, level - 1)];
    const TileMove& move = geometry_.move(u, level, mapping_.tile[at], outer);
    costs_.error = move.error.empty() ? error_of_rest(u, level, outer) : move.error;
    if (!costs_.error.empty()) return;
    const Hop& hop = brought_by(use, level);
    const double share = average(use, at);
    const double receivers = shared_at(use, level).receivers;
    costs_.moves.push_back(
        {u, level, at, hop, move.cycles * share, static_cast<double>(move.source_bytes) * share / receivers,
         move.requests * share / receivers, move.source_words * share / receivers, move.target_words * share,
         move.dram * (share / receivers), static_cast<double>(move.pieces.size()) / receivers,
         static_cast<double>(hop_latency(machine_.architecture, hop)), move.hurry});
  }
}

std::vector<UseView> TileMeasure::views(int s, const Extents& box) {
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
bool TileMeasure::reduces_in_one(const StepShape& shape, const Extents& box) const {
  auto reduces = [&](int it) { return box[it] > 1 && is_reduction(work_, mapping_, it); };
  if (std::any_of(shape.loops.begin(), shape.loops.end(), reduces)) return false;
  return std::all_of(shape.dims.begin(), shape.dims.end(), [&](const StepShape::Dim& dim) {
    return dim.flat <= dim.maximum || std::none_of(dim.counted.begin(), dim.counted.end(), reduces);
  });
}

/// Of the boxes, those that hold the first part of a sum.
double TileMeasure::share_that_begins(int s) const {
  double share = 1;
  for (int it = 0; it < static_cast<int>(mapping_.extent.size()); ++it) {
    if (!is_reduction(work_, mapping_, it)) continue;
    std::int64_t boxes = 0;
    for (const auto& [size, times] : classes_.of(last_level(s), static_cast<std::size_t>(it))) boxes += times;
    share /= static_cast<double>(boxes);
  }
  return share;
}

void TileMeasure::add_box(int s, const Extents& box, std::int64_t count) {
  const auto seen = views(s, box);
  for (const auto& view : seen) {
    if (view.layout != nullptr && !view.layout->error.empty()) {
      costs_.error = view.layout->error;
      return;
    }
  }
  const StepShape shape = shape_step(machine_, mapping_, s, seen, box);
  if (!shape.error.empty()) {
    costs_.error = shape.error;
    return;
  }
  const bool begins = std::all_of(seen.begin(), seen.end(), [&](const UseView& view) {
    const bool off_chip = view.layout == nullptr && !geometry_.kept_on_chip(view.use);
    return off_chip || instructions_begin_at_units(machine_, mapping_, view, shape, box);
  });
  if (!begins) {
    costs_.error = "instructions would begin inside what they count as one unit of address";
    return;
  }
  if (s == 0 && mapping_.reduces_at_once && !reduces_in_one(shape, box)) {
    costs_.error = "the capability initialises its target, but the reduction takes several instructions";
    return;
  }
  const StepCycles cycles = cycles_of(machine_, mapping_, s, shape, seen, box);
  costs_.step_cycles[s] += static_cast<double>(count) * static_cast<double>(cycles.cycles);
  if (cycles.opening != 0) costs_.step_cycles[s] += static_cast<double>(count * cycles.opening) * share_that_begins(s);
  costs_.step_instructions[s] += static_cast<double>(count) * static_cast<double>(cycles.instructions);
  for (const MemoryWords& words : cycles.words) {
    auto& all = costs_.step_words;
    auto known = std::ranges::find(all, words.memory, &MemoryWords::memory);
    if (known == all.end()) known = all.insert(known, {words.memory});
    known->read += static_cast<double>(count) * words.read;
    known->written += static_cast<double>(count) * words.written;
  }
  for (std::size_t w = 0; w < 2; ++w) costs_.step_dram[s][w] += cycles.dram[w] * static_cast<double>(count);
}

void TileMeasure::add_boxes(int s, std::size_t it, Extents& box, std::int64_t count) {
  if (!costs_.error.empty()) return;
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
  for (const auto& [size, times] : classes_.of(last_level(s), it)) {
    box[it] = size;
    add_boxes(s, it + 1, box, count * times);
  }
}

void TileMeasure::add_step(int s) {
  if (leaves_in_place(machine_.capability(mapping_.steps[s].match))) return;
  Extents box(mapping_.extent.size(), 1);
  add_boxes(s, 0, box, 1);
}

}  // namespace

ById<std::int64_t> rooms_for_tiles(const Machine& machine, const Mapping& mapping) {
  ById<std::int64_t> rooms;
  for (const Use& use : mapping.uses) {
    for (int level = first_level(use); level < use.depth; ++level) {
      const int memory = memory_at(machine.architecture, use, level);
      rooms[memory] = place_region(machine, mapping, memory).bytes;
    }
  }
  return rooms;
}

FixedCosts fixed_costs(const Machine& machine, const Mapping& mapping) {
  FixedCosts fixed{dependences(mapping), rooms_for_tiles(machine, mapping), {}};
  for (const StatementPlan& step : mapping.steps) {
    fixed.step_latency.push_back(static_cast<double>(greatest_latency(machine, step)));
  }
  return fixed;
}

TileBytes tile_bytes(Geometry& geometry, const Mapping& mapping, std::string& error) {
  return bytes_of_tiles(geometry, mapping, BoxClasses(mapping), error);
}

ById<std::int64_t> footprint(const Machine& machine, const Mapping& mapping, const TileBytes& tile,
                             const std::function<int(int use, int level)>& copies) {
  ById<std::int64_t> bytes;
  for (int u = 0; u < static_cast<int>(mapping.uses.size()); ++u) {
    const Use& use = mapping.uses[u];
    for (int level = 0; level < use.depth; ++level) {
      if (tile[u][level] == 0) continue;
      const std::int64_t kept = tile[u][level] * copies(u, level);
      bytes[memory_at(machine.architecture, use, level)] += kept * shared_at(use, level).places;
    }
  }
  return bytes;
}

std::string overfull(const Machine& machine, const ById<std::int64_t>& rooms, const ById<std::int64_t>& bytes) {
  for (const auto& [id, needed] : bytes) {
    const Memory& memory = machine.architecture.memories[id];
    if (memory.off_chip || needed <= rooms.of(id)) continue;
    return fmt::format("{} needs {} bytes and has {}", memory.name, needed, rooms.of(id));
  }
  return "";
}

TileCosts measure(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) {
  return TileMeasure(machine, geometry, work, mapping).run();
}

}  // namespace accord
