#include "compiler/lowering/lower.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/lowering/lowering.h"
#include "compiler/mapping/carriers.h"
#include "compiler/mapping/padding.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

constexpr std::int64_t most_parts = 32;  ///< of a transfer

}  // namespace

void check_length(std::size_t operations) {
  if (operations <= most_in_list) return;
  throw Error(fmt::format("takes more than {} operations, for the machine cannot repeat them in a loop", most_in_list));
}

bool Lowering::same_box(int u, const Box& a, const Box& b) const {
  for (std::size_t it = 0; it < a.origin.size(); ++it) {
    if (!depends(mapping_.uses[u].access, static_cast<int>(it))) continue;
    if (a.origin[it] != b.origin[it] || a.extent[it] != b.extent[it]) return false;
  }
  return true;
}

/// The box of a level as the use's tile covers it: initial and other equal values that all parts get together, and what
/// they go to, are as many as the first part's.
const Box& Lowering::box_of(int u, int level, int box) const {
  const Use& use = mapping_.uses[u];
  const bool starts = start_ >= 0 && shared_at(mapping_.uses[start_], mapping_.uses[start_].depth - 1).joint;
  const bool whole = starts && (u == start_ || u == target_);
  return whole || (use.filled && shared_at(use, level).joint) ? steps_[box] : boxes_[box];
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

void Lowering::emit_move(int u, int level, const TileMove& move, const TransferEnd& source, const TransferEnd& target) {
  const Hop& hop = hop_at(mapping_.uses[u], level);
  const RouteLimits& limits = *machine_.limits.route(hop.unit, hop.route);
  const std::int64_t request = machine_.architecture.units[hop.unit].request;
  for (const auto& whole : move.pieces) {
    const auto pieces = cut(whole, limits, target.buffer >= 0, parts_of_move(u, level, whole), request);
    list_.cuts = list_.cuts || pieces.size() > 1;
    for (const auto& piece : pieces) {
      instructions_.transfer(hop, piece, source, target).statement = mapping_.steps[mapping_.uses[u].step].statement;
    }
  }
}

/// Of an input, cycles of the quickest other input's tile that the same mover brings more often; 0: there is none.
double Lowering::cycles_between(int u, int level) {
  double least = 0;
  if (mapping_.uses[u].role != UseRole::input) return 0;
  for (int v = 0; v < static_cast<int>(mapping_.uses.size()); ++v) {
    const Use& other = mapping_.uses[v];
    if (other.role != UseRole::input || other.depth <= level || fills_.of(v, level) <= fills_.of(u, level)) continue;
    if (hop_at(other, level).unit != hop_at(mapping_.uses[u], level).unit) continue;
    const Extents& outer = level == 0 ? first_.extent : first_.tile[box_level(first_, other, level - 1)];
    const TileMove& move = geometry_.move(v, level, first_.tile[box_level(first_, other, level)], outer);
    if (least == 0 || move.cycles < least) least = move.cycles;
  }
  return least;
}

/// Transfers that are long enough to be worth it are cut, so that work on what came first begins while the rest comes,
/// and those that come seldom also so that they do not hold up for long what the mover brings meanwhile.
/// All parts of divided work cut as the first does: they go the same steps.
std::int64_t Lowering::parts_of_move(int u, int level, const TransferPiece& piece) const {
  if (first_.stores_whole && first_.uses[u].role == UseRole::output) return 1;
  for (const auto& loops : rolled_) {
    if (std::find(loops.begin(), loops.end(), true) != loops.end()) return 1;
  }
  const Architecture& architecture = machine_.architecture;
  const Hop& hop = hop_at(first_.uses[u], level);
  const auto around = static_cast<double>(hop_latency(architecture, hop));
  const double busy = transfer_timing(architecture, hop, piece).busy;
  const double between = between_[u][level];
  const auto worth_it = static_cast<std::int64_t>(busy / (2 * around + 1));
  const auto short_enough = between == 0 ? 0 : static_cast<std::int64_t>(busy / between);
  return std::clamp<std::int64_t>(worth_it, 1, std::clamp<std::int64_t>(short_enough, buffer_parts, most_parts));
}

/// Whether an earlier copy holds the use's level 0 tile; it is the current one then.
bool Lowering::still_held(int u) {
  const Box& box = box_at(u, 0);
  const auto& boxes = held_[u].boxes;
  const auto found = std::ranges::find_if(boxes, [&](const Box& held) { return same_box(u, held, box); });
  if (found == boxes.end()) return false;
  resident_[u][0] = {box, static_cast<int>(found - boxes.begin())};
  return true;
}

/// Takes the oldest copy for the current box.
int Lowering::next_copy(int u, int level) {
  const int copies = buffers_[u][level].copies();
  const bool keeps = !mapping_.rolls && mapping_.uses[u].role == UseRole::input;
  if (level > 0 || !keeps) return (resident_[u][level].copy + 1) % copies;
  Held& held = held_[u];
  const std::size_t copy = held.next;
  held.next = (copy + 1) % static_cast<std::size_t>(copies);
  held.boxes.resize(std::max(held.boxes.size(), copy + 1));
  held.boxes[copy] = box_at(u, 0);
  return static_cast<int>(copy);
}

/// Brings the use's tile of the current box in, unless it is there.
void Lowering::ensure(int u, int level) {
  Resident& resident = resident_[u][level];
  const Box& box = box_at(u, level);
  if (resident.copy >= 0 && same_box(u, resident.box, box)) return;
  if (level == 0 && still_held(u)) return;
  if (level > 0) ensure(u, level - 1);
  resident = {box, next_copy(u, level)};
  const bool padded = level == 0 || resident_[u][level - 1].padded;
  const TileMove& move = geometry_.move(u, level, box.extent, outer_extents(u, level), {}, padded);
  resident.padded = move.padded;
  if (!move.error.empty()) throw Error("tile of another shape cannot be moved: " + move.error);
  TransferEnd source;
  if (level > 0) {
    source = {tile_address(u, level - 1) + offset_outside(u, level), buffer_id(u, level - 1)};
  } else if (geometry_.is_constant(u)) {
    source = constant_image(u, box);
  } else {
    source.address = home_address(u, box.origin);
  }
  emit_move(u, level, move, source, {tile_address(u, level), buffer_id(u, level)});
}

void Lowering::load_start() {
  const Use& use = mapping_.uses[start_];
  const int level = use.depth - 1;
  const Box& box = box_of(start_, level, target_level_);
  TransferEnd source;
  const TileMove& move = geometry_.move(start_, level, box.extent, outer_extents(start_, level));
  if (!move.error.empty()) throw Error("initial values cannot be moved: " + move.error);
  if (level > 0) {
    ensure(start_, level - 1);
    source = {tile_address(start_, level - 1) +
                  offset_of(layout_at(start_, level - 1), relative(target_level_, use, level - 1)),
              buffer_id(start_, level - 1)};
  } else if (geometry_.is_constant(start_)) {
    source = constant_image(start_, box);
  } else {
    source.address = home_address(start_, box.origin);
  }
  emit_move(start_, level, move, source, {tile_address(target_, target_level_), buffer_id(target_, target_level_)});
}

/// Extents of the box within which the result is written home.
Extents Lowering::written_part(int u, const Box& box) const {
  Extents part = box.extent;
  for (std::size_t it = 0; it < part.size(); ++it) part[it] = std::min(part[it], written_[u][it] - box.origin[it]);
  return part;
}

/// Of each result: what of it may be written. Padding that others rely on stays as it is.
void Lowering::find_written() {
  written_.resize(mapping_.uses.size());
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.role != UseRole::output) continue;
    const TensorId tensor = geometry_.tensor(static_cast<int>(u));
    written_[u] = tensor == no_tensor ? mapping_.extent : written_extents(work_, mapping_, use, homes_[tensor]);
  }
}

void Lowering::flush(int u, int level) {
  const Box& box = box_at(u, level);
  const Box& own = boxes_[box_level(mapping_, mapping_.uses[u], level)];
  const Extents part = level == 0 ? written_part(u, own) : own.extent;
  if (std::ranges::any_of(part, [](std::int64_t extent) { return extent <= 0; })) return;
  const TileMove& move =
      geometry_.move(u, level, box.extent, outer_extents(u, level), part == box.extent ? Extents{} : part);
  if (!move.error.empty()) throw Error("result tile cannot be moved: " + move.error);
  if (level == 0) {
    emit_move(u, level, move, {tile_address(u, level), buffer_id(u, level)}, {home_address(u, box.origin)});
    return;
  }
  Resident& parent = resident_[u][level - 1];
  if (parent.copy < 0 || !same_box(u, parent.box, box_at(u, level - 1))) {
    parent = {box_at(u, level - 1), (parent.copy + 1) % buffers_[u][level - 1].copies()};
  }
  const std::int64_t target = tile_address(u, level - 1) + offset_outside(u, level);
  emit_move(u, level, move, {tile_address(u, level), buffer_id(u, level)}, {target, buffer_id(u, level - 1)});
}

/// Whether the use's tile of a level is moved in this step: one of nothing is not, what all parts get together is.
bool Lowering::takes(int u, int level) const {
  const Use& use = mapping_.uses[u];
  const Extents& extent = boxes_[box_level(mapping_, use, level)].extent;
  bool work = true;
  for (std::size_t it = 0; it < extent.size(); ++it) {
    if (extent[it] > 0) continue;
    if (!use.filled && depends(use.access, static_cast<int>(it))) return false;
    work = false;
  }
  return work || shared_at(use, level).joint;
}

void Lowering::fetch_for_step(int s) {
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.step != s || use.role != UseRole::input) continue;
    int last = use.depth - 1;
    while (last >= 0 && !takes(static_cast<int>(u), last)) --last;
    if (last >= 0) ensure(static_cast<int>(u), last);
  }
}

void Lowering::emit_step(int s, int level) {
  if (leaves_in_place(machine_.capability(mapping_.steps[s].match))) return;
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
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.step == s && use.depth == 0 && use.role == UseRole::output)
      box = written_part(static_cast<int>(u), {origin, box});
  }
  if (std::ranges::any_of(box, [](std::int64_t extent) { return extent <= 0; })) return;
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
  instructions_.step(s, placed, box, s == 0 && mapping_.steps[0].opening >= 0 && reduction_starts(level));
}

/// Whether the tile of results has what is carried there already: it goes to several places.
bool Lowering::holds_carried(const Resident& resident, int level) const {
  if (start_ < 0 || resident.copy < 0 || !is_carried(work_, mapping_.uses[start_])) return false;
  return resident.box.extent == boxes_[level].extent && same_box(start_, resident.box, boxes_[level]);
}

/// Whether initial values come to all parts at once, to those without work too.
bool Lowering::starts_together() const {
  if (start_ < 0) return false;
  const int level = mapping_.uses[start_].depth - 1;
  return shared_at(mapping_.uses[start_], level).joint && takes(start_, level);
}

void Lowering::begin_target(int level) {
  if (target_level_ != level || !reduction_starts(level)) return;
  const bool work = std::ranges::all_of(boxes_[level].extent, [](std::int64_t extent) { return extent > 0; });
  if (!work && !starts_together()) return;
  Resident& resident = resident_[target_][level];
  if (holds_carried(resident, level)) {
    resident.box = boxes_[level];
    return;
  }
  resident = {box_of(target_, level, level), (resident.copy + 1) % buffers_[target_][level].copies()};
  if (start_ >= 0) load_start();
  if (const int s = starting_step(mapping_); s >= 0) emit_step(s, level);
}

void Lowering::finish_target(int level) {
  if (!reduction_ends(level)) return;
  if (level == std::max(target_level_, 0) || (target_level_ < 0 && level == mapping_.levels - 1)) {
    for (int s = 1; s <= last_step(mapping_); ++s) emit_step(s, level);
  }
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.role != UseRole::output) continue;
    for (int hop = use.depth - 1; hop >= level; --hop) {
      if (box_level(mapping_, use, hop) == level) flush(static_cast<int>(u), hop);
    }
  }
}

void Lowering::find_target() {
  const Capability& capability = machine_.capability(mapping_.steps[0].match);
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    if (use.step != 0 || use.operand != capability.program.statements.back().target.operand) continue;
    (use.role == UseRole::start ? start_ : target_) = static_cast<int>(u);
  }
  assert(target_ >= 0);
  target_level_ = target_level(mapping_);
}

void Lowering::lay_images() {
  find_target();
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) lay_images(static_cast<int>(u));
}

OpList Lowering::run() {
  buffers_ = place_buffers(machine_, bytes_, first_, mapping_, from_, list_.buffers);
  resident_.resize(mapping_.uses.size());
  held_.resize(mapping_.uses.size());
  between_.resize(mapping_.uses.size());
  for (std::size_t u = 0; u < mapping_.uses.size(); ++u) {
    const Use& use = mapping_.uses[u];
    resident_[u].resize(static_cast<std::size_t>(std::max(use.depth, 1)));
    for (int level = 0; level < use.depth; ++level) {
      between_[u].push_back(cycles_between(static_cast<int>(u), level));
    }
  }
  lay_images();
  find_written();
  choose_rolled();
  steps_.resize(static_cast<std::size_t>(mapping_.levels));
  boxes_.resize(static_cast<std::size_t>(mapping_.levels));
  visit(0);
  return std::move(list_);
}

OpList lower(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             const Mapping& mapping, const Mapping& first, const TileBytes& bytes, ConstantImages& images,
             std::vector<OffChip>& off_chip, LaidFrom from) {
  return Lowering(machine, network, work_of(work, mapping), homes, mapping, first, bytes, images, off_chip, from).run();
}

void lay_images(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                const std::vector<Mapping>& parts, ConstantImages& images, std::vector<OffChip>& off_chip) {
  const TileBytes bytes;
  for (const Mapping& part : parts) {
    Lowering(machine, network, work_of(work, part), homes, part, parts.front(), bytes, images, off_chip, LaidFrom::low)
        .lay_images();
  }
}

}  // namespace accord
