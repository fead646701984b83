#include "compiler/lowering/lower.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "archdsl/source/error.h"
#include "compiler/lowering/buffers.h"
#include "compiler/lowering/instructions.h"
#include "compiler/lowering/repetition.h"

namespace accord {
namespace {

/// A box of the iteration space.
struct Box {
  Extents origin;
  Extents extent;
};

/// Which tile a buffer copy holds now.
struct Resident {
  Box box;
  int copy = -1;
};

class Lowering {
 public:
  Lowering(const Machine& machine, const Network& network, const Work& work, const Homes& homes, const Mapping& mapping,
           ConstantImages& images, std::vector<OffChip>& off_chip)
      : machine_(machine),
        network_(network),
        work_(work),
        homes_(homes),
        mapping_(mapping),
        images_(images),
        off_chip_(off_chip),
        geometry_(machine, network, work, homes, mapping),
        instructions_(machine, mapping, list_) {}

  OpList run();

 private:
  void visit(int level);
  void visit_loop(int level, std::size_t depth);
  void visit_tile(int level);
  Box outer_box(int level) const;
  /// Whether the use's innermost tile changes with an iterator of the level.
  bool moves_with(const Use& use, int level, int it) const {
    return use.depth > 0 && box_level(mapping_, use, use.depth - 1) == level && depends(use.access, it);
  }
  bool needs_images(int level, int it) const;
  std::int64_t period(int level, int it) const;
  template <typename Turn>
  std::int64_t roll(int level, int it, std::int64_t trips, const Turn& turn);
  void begin_target(int level);
  void finish_target(int level);
  void emit_step(int s, int level);
  void fetch_for_step(int s);
  void ensure(int u, int level);
  void flush(int u, int level);
  void load_start();
  void emit_move(int u, int level, const TileMove& move, std::int64_t source, std::int64_t target, int source_buffer,
                 int target_buffer);
  std::int64_t home_address(int u, const Extents& origin) const;
  std::int64_t constant_image(int u, const Box& box, const TileMove& move, const Layout& layout);
  const Box& box_at(int u, int level) const { return boxes_[box_level(mapping_, mapping_.uses[u], level)]; }
  /// The tile outside the one of a level: the whole work at level 0.
  const Extents& outer_extents(int u, int level) const {
    return level == 0 ? mapping_.extent : box_at(u, level - 1).extent;
  }
  const Layout& layout_at(int u, int level) { return geometry_.layout(u, level, box_at(u, level).extent); }
  /// Where the use's tile of a level begins in the one outside it.
  std::int64_t offset_outside(int u, int level) {
    const Extents at = relative(box_level(mapping_, mapping_.uses[u], level), mapping_.uses[u], level - 1);
    return offset_of(layout_at(u, level - 1), at);
  }
  std::int64_t tile_address(int u, int level) const { return buffers_[u][level].bases[resident_[u][level].copy]; }
  int buffer_id(int u, int level) const { return buffers_[u][level].first + resident_[u][level].copy; }
  bool same_box(int u, const Box& a, const Box& b) const;
  bool reduction_starts(int level) const;
  bool reduction_ends(int level) const;
  Extents relative(int level, const Use& use, int outer) const;

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  const Mapping& mapping_;
  ConstantImages& images_;
  std::vector<OffChip>& off_chip_;
  Geometry geometry_;
  OpList list_;
  Instructions instructions_;
  std::vector<std::vector<TileBuffer>> buffers_;
  std::vector<std::vector<Resident>> resident_;
  std::vector<Box> boxes_;
  int target_ = -1;  ///< the main statement's target use
  int start_ = -1;
  int target_level_ = -1;
  bool rolls_ = false;  ///< the machine has hardware loops
};

bool Lowering::same_box(int u, const Box& a, const Box& b) const {
  for (std::size_t it = 0; it < a.origin.size(); ++it) {
    if (!depends(mapping_.uses[u].access, static_cast<int>(it))) continue;
    if (a.origin[it] != b.origin[it] || a.extent[it] != b.extent[it]) return false;
  }
  return true;
}

bool Lowering::reduction_starts(int level) const {
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
    if (is_reduction(work_, mapping_, static_cast<int>(it)) && boxes_[level].origin[it] != 0) return false;
  }
  return true;
}

bool Lowering::reduction_ends(int level) const {
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) {
    if (is_reduction(work_, mapping_, static_cast<int>(it)) &&
        boxes_[level].origin[it] + boxes_[level].extent[it] != mapping_.extent[it]) {
      return false;
    }
  }
  return true;
}

/// Origin of the level's box within the use's tile of an outer level.
Extents Lowering::relative(int level, const Use& use, int outer) const {
  const Box& outside = boxes_[box_level(mapping_, use, outer)];
  Extents at = boxes_[level].origin;
  for (std::size_t it = 0; it < at.size(); ++it) {
    at[it] -= outside.origin[it];
    assert(at[it] >= 0 || !depends(use.access, static_cast<int>(it)));
  }
  return at;
}

std::int64_t Lowering::home_address(int u, const Extents& origin) const {
  const TensorId tensor = geometry_.tensor(u);
  const Home& home = homes_[tensor];
  std::int64_t address = home.address;
  const Access& access = mapping_.uses[u].access;
  for (std::size_t m = 0; m < access.indices.size(); ++m) {
    std::int64_t index = access.indices[m].offset;
    for (const auto& [it, coefficient] : access.indices[m].terms) index += coefficient * origin[it];
    address += index * home.strides[m];
  }
  return address;
}

/// Address of the constant's image for this box, made on first need; packed in the order in which the mover reads it.
std::int64_t Lowering::constant_image(int u, const Box& box, const TileMove& move, const Layout& layout) {
  if (off_chip_.empty()) return 0;
  const std::int64_t known = images_.find(u, mapping_.uses[u].access, box.origin, box.extent);
  if (known >= 0) return known;
  const auto tile = materialise(network_, work_, mapping_.uses[u], layout, box.origin, box.extent);
  std::vector<std::byte> image(static_cast<std::size_t>(move.image_bytes));
  const bool start = mapping_.uses[u].role == UseRole::start && mapping_.uses[u].depth == 1;
  if (start) {
    image = tile;
  } else {
    for (const auto& piece : move.pieces) {
      for_each_run(piece, [&](std::int64_t source, std::int64_t target, std::int64_t run) {
        std::memcpy(image.data() + source, tile.data() + target, static_cast<std::size_t>(run));
      });
    }
  }
  OffChip* memory = &off_chip_[0];
  for (auto& candidate : off_chip_) {
    if (candidate.index() == mapping_.uses[u].home) memory = &candidate;
  }
  const std::int64_t address = memory->add_constant(std::move(image), "the model's constants");
  images_.add(address);
  return address;
}

void Lowering::emit_move(int u, int level, const TileMove& move, std::int64_t source, std::int64_t target,
                         int source_buffer, int target_buffer) {
  const Hop& hop = hop_at(mapping_.uses[u], level);
  for (const auto& piece : move.pieces) {
    LowOp& op = instructions_.transfer(hop, piece, source, target);
    op.statement = mapping_.steps[mapping_.uses[u].step].statement;
    op.touch(source_buffer, false);
    op.touch(target_buffer, true);
  }
}

/// Brings the use's tile of the current box in, unless it is there.
void Lowering::ensure(int u, int level) {
  Resident& resident = resident_[u][level];
  const Box& box = box_at(u, level);
  if (resident.copy >= 0 && same_box(u, resident.box, box)) return;
  if (level > 0) ensure(u, level - 1);
  resident = {box, (resident.copy + 1) % buffers_[u][level].copies()};
  const TileMove& move = geometry_.move(u, level, box.extent, outer_extents(u, level));
  if (!move.error.empty()) throw Error("tile of another shape cannot be moved: " + move.error);
  std::int64_t source = 0;
  int source_buffer = -1;
  if (level > 0) {
    source = tile_address(u, level - 1) + offset_outside(u, level);
    source_buffer = buffer_id(u, level - 1);
  } else if (geometry_.is_constant(u)) {
    source = constant_image(u, box, move, layout_at(u, level));
  } else {
    source = home_address(u, box.origin);
  }
  emit_move(u, level, move, source, tile_address(u, level), source_buffer, buffer_id(u, level));
}

/// Initial values into the target's tile.
void Lowering::load_start() {
  const Use& use = mapping_.uses[start_];
  const int level = use.depth - 1;
  const Box& box = boxes_[target_level_];
  std::int64_t source = 0;
  int source_buffer = -1;
  const TileMove& move = geometry_.move(start_, level, box.extent, outer_extents(start_, level));
  if (!move.error.empty()) throw Error("initial values cannot be moved: " + move.error);
  if (level > 0) {
    ensure(start_, level - 1);
    source = tile_address(start_, level - 1) +
             offset_of(layout_at(start_, level - 1), relative(target_level_, use, level - 1));
    source_buffer = buffer_id(start_, level - 1);
  } else {
    source = constant_image(start_, box, move, geometry_.layout(start_, 0, box.extent));
  }
  emit_move(start_, level, move, source, tile_address(target_, target_level_), source_buffer,
            buffer_id(target_, target_level_));
}

/// Moves the finished tile one hop towards off-chip memory.
void Lowering::flush(int u, int level) {
  const Box& box = box_at(u, level);
  const TileMove& move = geometry_.move(u, level, box.extent, outer_extents(u, level));
  if (!move.error.empty()) throw Error("result tile cannot be moved: " + move.error);
  if (level == 0) {
    emit_move(u, level, move, tile_address(u, level), home_address(u, box.origin), buffer_id(u, level), -1);
    return;
  }
  Resident& parent = resident_[u][level - 1];
  if (parent.copy < 0 || !same_box(u, parent.box, box_at(u, level - 1))) {
    parent = {box_at(u, level - 1), (parent.copy + 1) % buffers_[u][level - 1].copies()};
  }
  const std::int64_t target = tile_address(u, level - 1) + offset_outside(u, level);
  emit_move(u, level, move, tile_address(u, level), target, buffer_id(u, level), buffer_id(u, level - 1));
}

void Lowering::fetch_for_step(int s) {
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.step != s || use.role != UseRole::input || use.depth == 0) continue;
    ensure(static_cast<int>(u), use.depth - 1);
  }
}

void Lowering::emit_step(int s, int level) {
  fetch_for_step(s);
  Extents box = boxes_[level].extent;
  Extents origin = boxes_[level].origin;
  if (s != 0) {
    for (std::size_t it = 0; it < box.size(); ++it) {
      if (is_reduction(work_, mapping_, static_cast<int>(it))) {
        box[it] = 1;
        origin[it] = 0;
      }
    }
  }
  std::vector<PlacedUse> placed;
  for (std::size_t i = 0; i < mapping_.uses.size(); ++i) {
    const Use& use = mapping_.uses[i];
    const int u = static_cast<int>(i);
    if (use.step != s || use.role == UseRole::start) continue;
    PlacedUse p;
    p.view.use = u;
    if (use.depth == 0) {
      p.view.strides = &geometry_.strides(u);
      p.base = home_address(u, origin);
    } else {
      const int at = use.depth - 1;
      const int owner = use.role == UseRole::accumulator ? target_ : u;
      Resident& resident = resident_[owner][at];
      if (use.role == UseRole::output && (resident.copy < 0 || !same_box(u, resident.box, box_at(u, at)))) {
        resident = {box_at(u, at), (resident.copy + 1) % buffers_[u][at].copies()};
      }
      p.view.layout = &layout_at(owner, at);
      p.base = tile_address(owner, at);
      p.start = relative(level, mapping_.uses[owner], at);
      p.buffer = buffer_id(owner, at);
      if (use.filled) p.view.layout = &layout_at(u, at);
    }
    placed.push_back(std::move(p));
  }
  instructions_.step(s, placed, box);
}

void Lowering::begin_target(int level) {
  if (target_level_ != level || !reduction_starts(level)) return;
  Resident& resident = resident_[target_][level];
  resident = {boxes_[level], (resident.copy + 1) % buffers_[target_][level].copies()};
  if (start_ >= 0) load_start();
}

void Lowering::finish_target(int level) {
  if (!reduction_ends(level)) return;
  if (level == std::max(target_level_, 0) || (target_level_ < 0 && level == mapping_.levels - 1)) {
    for (std::size_t s = 1; s < mapping_.steps.size(); ++s) emit_step(static_cast<int>(s), level);
  }
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.role != UseRole::output) continue;
    for (int hop = use.depth - 1; hop >= level; --hop) {
      if (box_level(mapping_, use, hop) == level) flush(static_cast<int>(u), hop);
    }
  }
}

void Lowering::visit_tile(int level) {
  begin_target(level);
  if (level + 1 == mapping_.levels) {
    emit_step(0, level);
  } else {
    visit(level + 1);
  }
  finish_target(level);
}

Box Lowering::outer_box(int level) const {
  return level == 0 ? Box{Extents(mapping_.extent.size(), 0), mapping_.extent} : boxes_[level - 1];
}

/// All tiles of a level within the box outside it, in loop order.
void Lowering::visit(int level) {
  boxes_[level] = outer_box(level);
  visit_loop(level, 0);
}

/// The loops of a level from `depth` on.
void Lowering::visit_loop(int level, std::size_t depth) {
  const auto& order = mapping_.order[level];
  if (depth == order.size()) {
    visit_tile(level);
    return;
  }
  const int it = order[depth];
  const Box outer = outer_box(level);
  const std::int64_t trips = (outer.extent[it] + mapping_.tile[level][it] - 1) / mapping_.tile[level][it];
  auto turn = [&](std::int64_t i) {
    const std::int64_t at = i * mapping_.tile[level][it];
    boxes_[level].origin[it] = outer.origin[it] + at;
    boxes_[level].extent[it] = std::min(mapping_.tile[level][it], outer.extent[it] - at);
    visit_loop(level, depth + 1);
  };
  const bool innermost = std::all_of(order.begin() + static_cast<std::ptrdiff_t>(depth) + 1, order.end(),
                                     [&](int inner) { return mapping_.tile[level][inner] >= outer.extent[inner]; });
  std::int64_t i = 0;
  if (rolls_ && level + 1 == mapping_.levels && innermost && trips >= 6 && !needs_images(level, it))
    i = roll(level, it, trips, turn);
  for (; i < trips; ++i) turn(i);
}

/// Whether turns of the loop read constants of their own from off-chip memory: each has an image somewhere.
bool Lowering::needs_images(int level, int it) const {
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.depth == 0 || box_level(mapping_, use, 0) != level || !depends(use.access, it)) continue;
    if (geometry_.is_constant(static_cast<int>(u))) return true;
  }
  return false;
}

/// Copies that the tiles which change with the loop take in turn: after so many turns all is where it was.
std::int64_t Lowering::period(int level, int it) const {
  std::int64_t copies = 1;
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.role == UseRole::start || !moves_with(use, level, it)) continue;
    copies = std::lcm(copies, static_cast<std::int64_t>(buffers_[u][use.depth - 1].copies()));
  }
  return copies;
}

/// Turns of a loop from 0 on: the first as it is, the next ones as the body of a hardware loop if those after them
/// differ by constant steps only. Returns the first turn that is left to do; the last is never in the body.
template <typename Turn>
std::int64_t Lowering::roll(int level, int it, std::int64_t trips, const Turn& turn) {
  const std::int64_t body = period(level, it);
  const std::int64_t repeats = (trips - 2) / body;
  if (repeats < 2) return 0;
  turn(0);
  // Each turn of a loop loads what it holds: the bits are the same in all of them.
  instructions_.forget_held();
  const ListMark first = mark(list_);
  for (std::int64_t i = 1; i <= body; ++i) turn(i);
  const ListMark second = mark(list_);
  instructions_.forget_held();
  for (std::int64_t i = body + 1; i <= 2 * body; ++i) turn(i);
  const auto deltas = steps_between(list_, first, second);
  if (!deltas) return 2 * body + 1;
  list_.ops.resize(second.ops);
  list_.values.resize(second.values);
  instructions_.forget_held();
  list_.loops.push_back({first.ops, second.ops - first.ops, repeats, *deltas});
  // What the last of these turns would leave behind: copies come round with each body.
  const std::int64_t skipped = (repeats - 2) * body;
  boxes_[level].origin[it] += skipped * mapping_.tile[level][it];
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (!moves_with(use, level, it)) continue;
    if (Resident& inner = resident_[u][use.depth - 1]; inner.copy >= 0) inner.box = boxes_[level];
  }
  return repeats * body + 1;
}

OpList Lowering::run() {
  buffers_ = place_buffers(machine_, geometry_, mapping_, list_.buffers);
  resident_.resize(mapping_.uses.size());
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    resident_[u].resize(static_cast<std::size_t>(std::max(use.depth, 1)));
    const Capability& capability = machine_.capability(mapping_.steps[0].match);
    const bool is_target = use.step == 0 && use.operand == capability.program.statements.back().target.operand;
    if (is_target && use.role == UseRole::start) start_ = static_cast<int>(u);
    if (is_target && use.role != UseRole::start) target_ = static_cast<int>(u);
  }
  assert(target_ >= 0);
  target_level_ = target_level(mapping_);
  // Waits and signals count turns: on machines that need them every turn stands in the program. So does it where the
  // operations of other elements stand in between.
  rolls_ = mapping_.spatial.empty() && machine_.architecture.sync.kind != Sync::Kind::semaphores &&
           machine_.architecture.controller.loop_depth > 0 && machine_.limits.mnemonic_for(Meaning::loop) >= 0;
  boxes_.resize(static_cast<std::size_t>(mapping_.levels));
  visit(0);
  return std::move(list_);
}

}  // namespace

OpList lower(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             const Mapping& mapping, ConstantImages& images, std::vector<OffChip>& off_chip) {
  return Lowering(machine, network, work_of(work, mapping), homes, mapping, images, off_chip).run();
}

}  // namespace accord
