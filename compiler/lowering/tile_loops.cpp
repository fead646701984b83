#include <algorithm>
#include <cassert>

#include "archdsl/tensor/rounding.h"
#include "compiler/lowering/lower.h"
#include "compiler/lowering/lowering.h"
#include "compiler/lowering/repetition.h"

namespace accord {
namespace {

constexpr std::int64_t least_inner = 6;  ///< fewer turns of the innermost loop stand one after another
constexpr std::int64_t least_outer = 3;  ///< the same of loops around
constexpr std::size_t most_turns = 4;    ///< of a loop, in one turn of a hardware loop: copies that take turns

}  // namespace

void Lowering::visit_tile(int level) {
  check_length(list_.ops.size());
  begin_target(level);
  if (level + 1 == mapping_.levels) {
    emit_step(0, level);
  } else {
    visit(level + 1);
  }
  finish_target(level);
}

Box Lowering::outer_step(int level) const {
  return level == 0 ? Box{Extents(first_.extent.size(), 0), first_.extent} : steps_[level - 1];
}

/// What of a step lies within the mapping's extents: nothing or less where the first part alone has work.
void Lowering::clip(int level, int it) {
  boxes_[level].origin[it] = steps_[level].origin[it];
  boxes_[level].extent[it] = std::min(steps_[level].extent[it], mapping_.extent[it] - steps_[level].origin[it]);
}

/// All tiles of a level within the box outside it, in loop order.
void Lowering::visit(int level) {
  boxes_[level] = steps_[level] = outer_step(level);
  for (std::size_t it = 0; it < mapping_.extent.size(); ++it) clip(level, static_cast<int>(it));
  visit_loop(level, 0);
}

/// The loops of a level from `depth` on.
void Lowering::visit_loop(int level, std::size_t depth) {
  const auto& order = mapping_.order[level];
  if (depth == order.size()) return visit_tile(level);
  const int it = order[depth];
  const std::int64_t turns = ceil_div(outer_step(level).extent[it], first_.tile[level][it]);
  std::int64_t turn = rolled_[level][depth] && turns >= least_outer ? roll(level, depth, turns) : 0;
  for (; turn < turns; ++turn) visit_turn(level, depth, turn);
}

void Lowering::visit_turn(int level, std::size_t depth, std::int64_t turn) {
  const int it = mapping_.order[level][depth];
  const std::int64_t tile = first_.tile[level][it];
  const Box outer = outer_step(level);
  steps_[level].origin[it] = outer.origin[it] + turn * tile;
  steps_[level].extent[it] = std::min(tile, outer.extent[it] - turn * tile);
  clip(level, it);
  visit_loop(level, depth + 1);
}

/// Loops that become hardware loops, as deep as the machine nests them: the innermost that turns often enough, then
/// those that turn most often.
void Lowering::choose_rolled() {
  const Controller& controller = machine_.architecture.controller;
  struct Candidate {
    int level;
    std::size_t depth;
    std::int64_t turns;
  };
  std::vector<Candidate> candidates;
  for (int level = 0; level < mapping_.levels; ++level) {
    rolled_.emplace_back(mapping_.order[level].size(), false);
    for (std::size_t depth = 0; depth < mapping_.order[level].size(); ++depth) {
      const int it = mapping_.order[level][depth];
      const std::int64_t turns = trips(mapping_, level, it);
      if (turns >= least_outer) candidates.push_back({level, depth, turns});
    }
  }
  if (!candidates.empty() && candidates.back().turns < least_inner) candidates.pop_back();
  if (!mapping_.rolls || candidates.empty()) return;
  std::stable_sort(candidates.begin(), candidates.end() - 1,
                   [](const Candidate& a, const Candidate& b) { return a.turns > b.turns; });
  std::rotate(candidates.begin(), candidates.end() - 1, candidates.end());
  const auto deep = static_cast<std::size_t>(std::max<std::int64_t>(controller.loop_depth, 0));
  candidates.resize(std::min(candidates.size(), deep));
  for (const auto& [level, depth, turns] : candidates) rolled_[level][depth] = true;
}

/// What the buffers hold so much further on in the iterator.
Residents Lowering::moved(Residents residents, int level, int it, std::int64_t by) const {
  for (std::size_t u = 0; u < residents.size(); ++u) {
    const Use& use = mapping_.uses[u];
    for (std::size_t l = 0; l < residents[u].size(); ++l) {
      Resident& resident = residents[u][l];
      if (resident.copy < 0 || !depends(use.access, it)) continue;
      if (box_level(mapping_, use, static_cast<int>(l)) >= level) resident.box.origin[it] += by;
    }
  }
  return residents;
}

bool Lowering::same_state(const Residents& a, const Residents& b) const {
  for (std::size_t u = 0; u < a.size(); ++u) {
    for (std::size_t l = 0; l < a[u].size(); ++l) {
      if (a[u][l].copy != b[u][l].copy) return false;
      if (a[u][l].copy >= 0 && !same_box(static_cast<int>(u), a[u][l].box, b[u][l].box)) return false;
    }
  }
  return true;
}

/// Whether what grows goes through registers: instructions in a loop say the same in each turn.
bool Lowering::can_advance(std::size_t first, const std::vector<std::int64_t>& deltas) const {
  const auto& mnemonics = machine_.architecture.isa.mnemonics;
  std::size_t at = 0;
  for (std::size_t i = first; at < deltas.size(); ++i) {
    const auto& arguments = mnemonics[list_.ops[i].mnemonic].arguments;
    for (std::uint32_t v = 0; v < list_.ops[i].count; ++v, ++at) {
      if (deltas[at] != 0 && arguments[v].base != Binding::Base::indexed_register) return false;
    }
  }
  return true;
}

/// Turns of a loop from 0 on as a hardware loop. Returns the first turn that is left to do: a smaller last tile, and
/// the last of a sum, are never in the body.
std::int64_t Lowering::roll(int level, std::size_t depth, std::int64_t turns) {
  const int it = mapping_.order[level][depth];
  const std::int64_t tile = mapping_.tile[level][it];
  const bool ends = outer_step(level).extent[it] % tile != 0 || is_reduction(work_, mapping_, it);
  // Nor is what results are written of in part.
  std::int64_t limit = turns - (ends ? 1 : 0);
  for (const Extents& written : written_) {
    if (!written.empty()) limit = std::min(limit, (written[it] - outer_step(level).origin[it]) / tile);
  }
  // Where the first turn is of another kind, the second may begin the loop.
  std::int64_t turn = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (roll_from(level, depth, limit, turn)) break;
  }
  return turn;
}

/// Does turns from `turn` on: as many as it takes until each copy of each tile is where it was are the body of a
/// hardware loop, if the next ones differ by constant steps only. What the first ones do besides, loads of what stays,
/// goes before the loop. False: there is none, and some turns are done one by one.
bool Lowering::roll_from(int level, std::size_t depth, std::int64_t limit, std::int64_t& turn) {
  const int it = mapping_.order[level][depth];
  const std::int64_t tile = mapping_.tile[level][it];
  const std::int64_t start = turn;
  std::vector<ListMark> marks;
  std::vector<Residents> states;
  const auto next = [&] {
    // Each turn of a loop loads what it holds: the bits are the same in all of them.
    instructions_.forget_held();
    marks.push_back(mark(list_));
    visit_turn(level, depth, turn++);
    states.push_back(resident_);
  };
  std::size_t body = 0;
  do {
    ++body;
    if (body > most_turns || start + 2 * static_cast<std::int64_t>(body) > limit) return false;
    while (states.size() < 2 * body) next();
  } while (!same_state(moved(states[body - 1], level, it, static_cast<std::int64_t>(body) * tile), states.back()));
  const auto repeated = repeat(list_, marks.front(), marks[body], AddressRanges(machine_.architecture));
  if (!repeated || !can_advance(repeated->first, repeated->deltas)) return false;
  instructions_.forget_held();
  const std::int64_t repeats = (limit - start) / static_cast<std::int64_t>(body);
  apply(list_, marks.front(), marks[body], *repeated, repeats);
  const std::int64_t skipped = (repeats - 2) * static_cast<std::int64_t>(body) * tile;
  resident_ = moved(std::move(resident_), level, it, skipped);
  boxes_[level].origin[it] += skipped;
  turn = start + repeats * static_cast<std::int64_t>(body);
  return true;
}

}  // namespace accord
