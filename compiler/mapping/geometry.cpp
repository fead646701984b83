#include "compiler/mapping/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/mapping/address_units.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

/// The same axis in another layout of the same operand; -1 where it has none (a broadcast).
int find_axis(const Layout& layout, const LayoutAxis& axis) {
  for (std::size_t a = 0; a < layout.axes.size(); ++a) {
    if (layout.axes[a].terms == axis.terms) return static_cast<int>(a);
  }
  return -1;
}

std::int64_t axis_step(const Layout* other, const LayoutAxis& axis) {
  if (other == nullptr) return axis.home_step;
  const int a = find_axis(*other, axis);
  if (a < 0) return axis.terms.size() == 1 ? iterator_step(*other, axis.terms.front().first) : 0;  // within a window
  const LayoutAxis& there = other->axes[a];
  return there.weight * other->groups[there.group].step;
}

/// The group of the other layout whose flat index counts the same points in the same order and blocks.
const LayoutGroup* blocked_twin(const Layout* other, const Layout& tile, const LayoutGroup& group) {
  if (other == nullptr) return nullptr;
  const int first = find_axis(*other, tile.axes[group.axes[0]]);
  if (first < 0) return nullptr;
  const int index = other->axes[first].group;
  const LayoutGroup& twin = other->groups[index];
  if (twin.block != group.block || twin.extent <= twin.block) return nullptr;
  const bool alike = std::all_of(group.axes.begin(), group.axes.end(), [&](int a) {
    const LayoutAxis& axis = tile.axes[a];
    const int b = find_axis(*other, axis);
    if (axis.extent == 1) return true;
    return b >= 0 && other->axes[b].group == index && other->axes[b].weight == axis.weight;
  });
  return alike ? &twin : nullptr;
}

/// Steps of the flat index of a blocked group on the other side: within a block, and from block to block.
bool blocked_steps(const Layout& tile, const Layout* other, const LayoutGroup& group, std::int64_t& step,
                   std::int64_t& block_step) {
  if (const LayoutGroup* twin = blocked_twin(other, tile, group)) {
    step = twin->step;
    block_step = twin->block_step;
    return true;
  }
  const LayoutAxis& inner = tile.axes[group.axes[0]];
  step = axis_step(other, inner);
  block_step = step * group.block;
  std::int64_t span = step * inner.extent;
  for (std::size_t i = 1; i < group.axes.size(); ++i) {
    const LayoutAxis& axis = tile.axes[group.axes[i]];
    if (axis.extent > 1 && axis_step(other, axis) != span) return false;
    span *= axis.extent;
  }
  return true;
}

class CopyBuilder {
 public:
  CopyBuilder(const Layout& tile, const Layout* other, std::int64_t element, std::string& error, const Extents& part)
      : tile_(tile), other_(other), error_(error), part_(part) {
    now_.copy.run = element;
  }

  std::vector<PlacedCopy> build() {
    visit(0);
    return std::move(copies_);
  }

 private:
  void visit(std::size_t g) {
    if (g == tile_.groups.size()) {
      copies_.push_back(now_);
      return;
    }
    const LayoutGroup& group = tile_.groups[g];
    const PlacedCopy saved = now_;
    if (group.extent <= group.block) {
      for (const int a : group.axes) {
        const LayoutAxis& axis = tile_.axes[a];
        now_.copy.dims.push_back({copied(axis), axis_step(other_, axis), axis.weight * group.step});
      }
      visit(g + 1);
    } else if (is_whole(group)) {
      visit_blocked(g, group);
    } else {
      visit_part(g, group, group.axes.size() - 1, 0);
    }
    now_ = saved;
  }

  /// How many of the axis are copied.
  std::int64_t copied(const LayoutAxis& axis) const {
    if (part_.empty()) return axis.extent;
    std::int64_t extent = 1;
    for (const auto& [it, coefficient] : axis.terms) extent += coefficient * (part_[it] - 1);
    return std::min(extent, axis.extent);
  }

  bool is_whole(const LayoutGroup& group) const {
    return std::ranges::all_of(group.axes, [&](int a) { return copied(tile_.axes[a]) == tile_.axes[a].extent; });
  }

  /// What is copied of a blocked group: runs along its innermost axis, cut where blocks end. `first`: flat index of the
  /// axes outside `axis`, the place in the group's list.
  void visit_part(std::size_t g, const LayoutGroup& group, std::size_t axis, std::int64_t first) {
    const LayoutAxis& along = tile_.axes[group.axes[axis]];
    const std::int64_t step = axis_step(other_, along), count = copied(along);
    const PlacedCopy saved = now_;
    for (std::int64_t at = 0; axis > 0 && at < count; ++at) {
      now_.source = saved.source + at * step;
      visit_part(g, group, axis - 1, first + at * along.weight);
    }
    for (std::int64_t at = 0, run = 0; axis == 0 && at < count; at += run) {
      const std::int64_t flat = first + at;
      run = std::min(count - at, group.block - flat % group.block);
      now_ = saved;
      now_.source += at * step;
      now_.target += flat / group.block * group.block_step + flat % group.block * group.step;
      now_.copy.dims.push_back({run, step, group.step});
      visit(g + 1);
    }
    now_ = saved;
  }

  void visit_blocked(std::size_t g, const LayoutGroup& group) {
    std::int64_t step = 0, block_step = 0;
    if (!blocked_steps(tile_, other_, group, step, block_step)) {
      error_ = "fused lanes do not follow memory";
      return;
    }
    const PlacedCopy saved = now_;
    const std::int64_t blocks = group.extent / group.block;
    now_.copy.dims.push_back({group.block, step, group.step});
    now_.copy.dims.push_back({blocks, block_step, group.block_step});
    visit(g + 1);
    now_ = saved;
    if (const std::int64_t rest = group.extent % group.block; rest != 0) {
      now_.source += blocks * block_step;
      now_.target += blocks * group.block_step;
      now_.copy.dims.push_back({rest, step, group.step});
      visit(g + 1);
      now_ = saved;
    }
  }

  const Layout& tile_;
  const Layout* other_;
  std::string& error_;
  const Extents& part_;
  PlacedCopy now_;
  std::vector<PlacedCopy> copies_;
};

/// Whether the instruction can give the piece's strides.
bool strides_fit(const RouteLimits& limits, const TransferPiece& piece) {
  for (std::size_t d = 1; d < limits.walk.size(); ++d) {
    if (piece.extent[d] <= 1) continue;
    const bool source = limits.walk[d].source.kind == Step::Kind::free;
    const bool target = limits.walk[d].target.kind == Step::Kind::free;
    if (source && piece.source_stride[d] % limits.source_steps != 0) return false;
    if (target && piece.target_stride[d] % limits.target_steps != 0) return false;
  }
  return true;
}

void add_pieces(TileMove& move, const RouteLimits& limits, TransferPlan plan, std::int64_t source,
                std::int64_t target) {
  for (auto& piece : plan.pieces) {
    piece.source += source;
    piece.target += target;
    if (piece.source % limits.source_unit != 0 || piece.target % limits.target_unit != 0) {
      move.error = "a transfer would begin inside what the instruction counts as one unit of address";
    } else if (!strides_fit(limits, piece)) {
      move.error = "a transfer would go on inside what the instruction counts as one unit of its strides";
    } else if (piece.extent[0] % limits.run_unit != 0) {
      move.error =
          fmt::format("a transfer would end inside the {} bytes that the instruction counts in", limits.run_unit);
    }
    move.pieces.push_back(std::move(piece));
  }
  move.bytes += plan.bytes;
  move.source_bytes += plan.source_bytes;
}

/// A tile of equal values from another of them, over and over where that one is smaller: of shorter words.
void add_equal_values(TileMove& move, const RouteLimits& limits, std::int64_t bytes, std::int64_t given) {
  const std::int64_t times = bytes / given;
  if (times > 0) add_pieces(move, limits, plan_copy(limits, {given, {{times, 0, given}}}), 0, 0);
  if (const std::int64_t rest = bytes - times * given; rest > 0) {
    add_pieces(move, limits, plan_copy(limits, {rest, {}}), 0, times * given);
  }
}

/// Whether parts of the outer tile begin where its blocks of lanes begin: they are cut between blocks, or not at all.
bool lanes_begin_blocks(const Layout& tile, const Layout& outer) {
  if (tile.groups.empty() || tile.groups[0].axes.empty()) return false;
  const int axis = find_axis(outer, tile.axes[tile.groups[0].axes[0]]);
  if (axis < 0) return false;
  const LayoutGroup& group = outer.groups[outer.axes[axis].group];
  return group.extent > group.block || group.extent == tile.groups[0].extent;
}

/// Whether parts of the outer tile begin where its words begin, as far as lanes do: no other index steps inside a word.
bool begins_words(const Layout& tile, const Layout& outer, std::int64_t word) {
  return std::ranges::all_of(outer.axes, [&](const LayoutAxis& axis) {
    if (axis.group == 0 || axis_step(&outer, axis) % word == 0) return true;
    const int own = find_axis(tile, axis);
    return own >= 0 && tile.axes[own].extent == axis.extent;
  });
}

/// Bytes of the last block of lanes.
std::int64_t last_lanes(const LayoutGroup& group, std::int64_t element) {
  const std::int64_t blocks = ceil_div(group.extent, group.block);
  return (group.extent - (blocks - 1) * group.block) * element;
}

/// Copies what lies between short lanes along with them, where neither side has anything else there: fewer, longer
/// runs. `lanes`: bytes of a row of lanes; `word`: how far rows reach. False where something lies there that stays.
bool close_gaps(Copy& copy, std::int64_t lanes, std::int64_t word) {
  std::stable_sort(copy.dims.begin(), copy.dims.end(),
                   [](const CopyDim& a, const CopyDim& b) { return a.target < b.target; });
  std::int64_t run = copy.run;
  std::size_t inner = 0;
  for (; inner < copy.dims.size(); ++inner) {
    const CopyDim& dim = copy.dims[inner];
    if (dim.extent == 1) continue;
    if (dim.source != dim.target || dim.target < run || word % dim.target != 0) return false;
    if (dim.target > run) break;
    run *= dim.extent;
  }
  if (inner == copy.dims.size()) return true;
  if (run != lanes) return false;
  copy.run = copy.dims[inner].target;
  copy.dims.erase(copy.dims.begin(), copy.dims.begin() + static_cast<std::ptrdiff_t>(inner));
  return true;
}

/// Copies the small gaps that both sides have between rows along with them: one run.
void bridge_gaps(Copy& copy) {
  std::erase_if(copy.dims, [](const CopyDim& dim) { return dim.extent == 1; });
  std::ranges::stable_sort(copy.dims, {}, &CopyDim::target);
  auto dim = copy.dims.begin();
  for (; dim != copy.dims.end() && dim->source == dim->target && is_small_gap(copy.run, dim->target); ++dim) {
    copy.run += dim->target * (dim->extent - 1);
  }
  copy.dims.erase(copy.dims.begin(), dim);
}

/// The tile from a source that has its rows without gaps between them; nothing where there are none, or where lanes are
/// cut into blocks.
std::optional<Copy> rows_alone(const Layout& tile, std::int64_t element) {
  Copy copy{element, {}};
  std::int64_t size = element;
  for (const LayoutGroup& group : tile.groups) {
    if (group.extent > group.block) return std::nullopt;
    for (const int a : group.axes) {
      const LayoutAxis& axis = tile.axes[a];
      copy.dims.push_back({axis.extent, size, axis.weight * group.step});
      size *= axis.extent;
    }
  }
  return size < tile.bytes ? std::optional(std::move(copy)) : std::nullopt;
}

void swap_sides(PlacedCopy& copy) {
  std::swap(copy.source, copy.target);
  for (auto& dim : copy.copy.dims) std::swap(dim.source, dim.target);
}

}  // namespace

std::vector<PlacedCopy> tile_copies(const Layout& tile, const Layout* other, std::int64_t element, std::string& error,
                                    const Extents& part) {
  return CopyBuilder(tile, other, element, error, part).build();
}

TensorId Geometry::tensor(int use) const {
  const Use& u = mapping_.uses[use];
  return u.filled || u.access.operand < 0 ? no_tensor : work_.operands[u.access.operand].tensor;
}

bool Geometry::is_constant(int use) const {
  const TensorId id = tensor(use);
  return mapping_.uses[use].filled || (id != no_tensor && network_.tensors[id].is_constant());
}

bool Geometry::kept_on_chip(int use) const {
  const TensorId id = tensor(use);
  return id != no_tensor && homes_[id].memory >= 0;
}

bool Geometry::spills(int use) const {
  const Use& u = mapping_.uses[use];
  const TensorId id = tensor(use);
  return u.role == UseRole::output && id != no_tensor &&
         accord::spills(work_of(work_, mapping_), mapping_, u, homes_[id]);
}

/// Whether what lies between the rows of an input at home comes along: its own margin, or elements beside the tile's,
/// which what writes them orders before the transfer. Another tensor's may not be written yet.
bool Geometry::brings_gaps(int use) const {
  const Use& u = mapping_.uses[use];
  const TensorId id = tensor(use);
  if (!u.as_home || u.role != UseRole::input || id == no_tensor) return false;
  return homes_[id].memory < 0 && !homes_[id].is_inside() && homes_[id].pitch == 1;
}

const HomeStrides& Geometry::strides(int use) const {
  static const HomeStrides none;
  const TensorId id = tensor(use);
  if (id == no_tensor) return none;
  const std::optional<HomeStrides>& reached = reached_[static_cast<std::size_t>(use)];
  return reached ? *reached : homes_[id].strides;
}

void Geometry::find_place_units() {
  for (const Use& use : mapping_.uses) {
    auto& units = place_units_.emplace_back(static_cast<std::size_t>(use.depth), 1);
    for (int level = first_level(use); level < use.depth; ++level) {
      units[level] = accord::place_unit(machine_, mapping_, memory_at(machine_.architecture, use, level));
    }
  }
}

/// Where a dim comes in multiples, tiles reach beyond the tensor: its home will have a margin.
void Geometry::foresee_margins() {
  reached_.resize(mapping_.uses.size());
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const TensorId id = tensor(static_cast<int>(u));
    if (id == no_tensor || is_constant(static_cast<int>(u))) continue;
    const Access& access = mapping_.uses[u].access;
    const Shape& shape = work_.operands[access.operand].shape;
    HomeStrides strides = reached_strides(homes_[id], shape, access, mapping_.extent);
    if (strides != homes_[id].strides) reached_[u] = std::move(strides);
  }
}

/// Initial values fill tiles of their accumulator.
std::vector<bool> Geometry::relevant_to(int use) const {
  std::vector<bool> relevant = fixed_->depends[use];
  if (mapping_.uses[use].role != UseRole::start) return relevant;
  const std::vector<bool>& filled = fixed_->depends[target_use(mapping_)];
  for (std::size_t it = 0; it < relevant.size(); ++it) relevant[it] = relevant[it] || filled[it];
  return relevant;
}

/// To the key: what plays no part counts once.
void Geometry::append_relevant(int use, const Extents& extents) {
  const std::vector<bool>& relevant = relevant_[use];
  for (std::size_t it = 0; it < extents.size(); ++it) key_.push_back(relevant[it] ? extents[it] : 1);
}

Geometry::Geometry(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                   const Mapping& mapping)
    : machine_(machine),
      network_(network),
      work_(work),
      homes_(homes),
      mapping_(mapping),
      fixed_(std::make_shared<const FixedCosts>(fixed_costs(machine, mapping))),
      layouts_(mapping.uses.size()),
      moves_(mapping.uses.size()) {
  foresee_margins();
  find_place_units();
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) relevant_.push_back(relevant_to(static_cast<int>(u)));
}

const TileCosts& Geometry::tile_costs() {
  if (!costs_ || measured_ != mapping_.tile) {
    measured_ = mapping_.tile;
    costs_ = std::make_shared<const TileCosts>(measure(machine_, *this, work_, mapping_));
  }
  return *costs_;
}

const Layout& Geometry::layout(int use, int level, const Extents& extents) {
  key_.assign(1, level);
  append_relevant(use, extents);
  auto& slot = layouts_[use][key_];
  if (!slot) {
    const Use& u = mapping_.uses[use];
    const int memory = memory_at(machine_.architecture, u, level);
    const bool on_the_way = u.as_home && level + 1 < u.depth;
    slot = std::make_unique<Layout>(
        on_the_way ? make_home_layout(mapping_, u, extents, strides(use), machine_.architecture.memories[memory].word)
                   : make_layout(machine_.architecture, mapping_, u, extents, strides(use), memory));
  }
  return *slot;
}

const TileMove& Geometry::move(int use, int level, const Extents& extents, const Extents& outer, const Extents& part,
                               bool padded) {
  const bool start = mapping_.uses[use].role == UseRole::start;
  key_.assign({level, static_cast<std::int64_t>(padded || !is_constant(use)), std::ssize(part)});
  append_relevant(use, extents);
  if (level > 0) append_relevant(use, outer);
  if (!part.empty()) append_relevant(use, part);
  auto& slot = moves_[use][key_];
  if (!slot) {
    const bool into_accumulator = start && level + 1 == mapping_.uses[use].depth;
    slot = std::make_unique<TileMove>(into_accumulator ? make_start(use, level, extents, outer)
                                                       : make_move(use, level, extents, outer, part, padded));
  }
  return *slot;
}

/// Where one transfer reaches several parts, its mover is occupied as it is by nature, once for each that it makes, and
/// their ways are as much quicker as fewer transfers pass them.
TileMove Geometry::timed(TileMove move, const Use& use, int level) const {
  const SharedTiles& shared = shared_at(use, level);
  for (const auto& piece : move.pieces) {
    const TransferTiming own = transfer_timing(machine_.architecture, hop_at(use, level), piece);
    const double apart = transfer_timing(machine_.architecture, brought_by(use, level), piece).apart;
    move.cycles += std::max(own.requests.link / shared.relief, apart * shared.turns);
    move.hurry = std::min(move.hurry + own.hurry, own.answer);
    move.requests += own.requests.count;
    move.source_words += own.source_words;
    move.target_words += own.target_words;
    move.dram += own.requests.dram;
  }
  return move;
}

TileMove Geometry::make_move(int use, int level, const Extents& extents, const Extents& outer, const Extents& part,
                             bool padded) {
  const Use& u = mapping_.uses[use];
  TileMove move;
  const Layout& tile = layout(use, level, extents);
  move.error = tile.error;
  if (!move.error.empty()) return move;
  const Hop& hop = hop_at(u, level);
  const RouteLimits& limits = *machine_.limits.route(hop.unit, hop.route);
  if (level == 0 && is_constant(use)) return make_image_move(use, tile, limits);
  const Layout* other = level == 0 ? nullptr : &layout(use, level - 1, outer);
  if (u.filled) {
    add_equal_values(move, limits, tile.bytes, other->bytes);
    return timed(std::move(move), u, level);
  }
  const std::int64_t word = machine_.architecture.memories[u.memory].word;
  move.padded =
      padded && !u.dense && is_constant(use) && lanes_begin_blocks(tile, *other) && begins_words(tile, *other, word);
  const bool close = move.padded;
  for (auto& copy : tile_copies(tile, other, element_bytes(use), move.error, part)) {
    if (u.role == UseRole::output) swap_sides(copy);
    if (level == 0 && brings_gaps(use)) bridge_gaps(copy.copy);
    if (close) move.padded &= close_gaps(copy.copy, last_lanes(tile.groups[0], element_bytes(use)), word);
    add_pieces(move, limits, plan_copy(limits, copy.copy), copy.source, copy.target);
  }
  return timed(std::move(move), u, level);
}

/// From an image of the whole tile or, where that is sooner done, of its rows alone: lanes that are not there nobody
/// reads, unless another transfer takes the tile on.
TileMove Geometry::make_image_move(int use, const Layout& tile, const RouteLimits& limits) const {
  const Use& u = mapping_.uses[use];
  TileMove whole;
  add_pieces(whole, limits, plan_packed(limits, tile.bytes), 0, 0);
  whole.image_bytes = tile.bytes;
  whole.padded = true;
  whole = timed(std::move(whole), u, 0);
  const std::optional<Copy> rows = u.filled || u.depth > 1 ? std::nullopt : rows_alone(tile, element_bytes(use));
  if (!rows) return whole;
  TileMove alone;
  add_pieces(alone, limits, plan_copy(limits, *rows), 0, 0);
  alone.image_bytes = alone.source_bytes;
  alone = timed(std::move(alone), u, 0);
  return alone.error.empty() && alone.cycles < whole.cycles ? alone : whole;
}

/// Initial values go from their own tile, which has lanes only, into the accumulator's rows.
TileMove Geometry::make_start(int use, int level, const Extents& extents, const Extents& outer) {
  const Use& u = mapping_.uses[use];
  const int accumulator = target_use(mapping_);
  TileMove move;
  const Layout& tile = layout(accumulator, mapping_.uses[accumulator].depth - 1, extents);
  move.error = tile.error;
  if (!move.error.empty()) return move;
  if (!is_constant(use)) return make_carried(use, tile);
  const Layout& values = layout(use, level == 0 ? 0 : level - 1, level == 0 ? extents : outer);
  const Hop& hop = hop_at(u, level);
  const RouteLimits& limits = *machine_.limits.route(hop.unit, hop.route);
  // The source tile's lanes are addressed as its own layout has them, whatever the level.
  for (auto& copy : tile_copies(tile, &values, element_bytes(use), move.error)) {
    add_pieces(move, limits, plan_copy(limits, copy.copy), copy.source, copy.target);
  }
  if (level == 0) move.image_bytes = values.bytes;
  return timed(std::move(move), u, level);
}

/// What is carried comes to its tile from its home.
TileMove Geometry::make_carried(int use, const Layout& tile) const {
  const Use& u = mapping_.uses[use];
  Layout carried = tile;
  for (LayoutAxis& axis : carried.axes) axis.home_step = access_step(strides(use), u.access, axis.terms.front().first);
  const Hop& hop = hop_at(u, 0);
  const RouteLimits& limits = *machine_.limits.route(hop.unit, hop.route);
  TileMove move;
  for (auto& copy : tile_copies(carried, nullptr, element_bytes(use), move.error)) {
    add_pieces(move, limits, plan_copy(limits, copy.copy), copy.source, copy.target);
  }
  return timed(std::move(move), u, 0);
}

}  // namespace accord
