#include "archdsl/tensor/kernel_plan.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace accord {
namespace {

bool merges(const LoopNest& nest, std::size_t outer, std::size_t inner) {
  for (std::size_t slot = 0; slot < nest.slots; ++slot)
    if (nest.step(outer, slot) != nest.step(inner, slot) * nest.loops[inner].extent) return false;
  return true;
}

bool is_last_reduction(const LoopNest& nest, std::size_t loop) {
  for (std::size_t later = loop + 1; later < nest.loops.size(); ++later)
    if (nest.target_step(later) == 0) return false;
  return true;
}

// Whether the loop may become the innermost and be executed in blocks.
bool may_be_column(const LoopNest& nest, std::size_t loop, OrderRules rules, bool injective) {
  const bool reduces = nest.target_step(loop) == 0;
  if (rules.reads_target && reduces) return false;
  if (!rules.ordered) return true;
  if (!injective) return loop + 1 == nest.loops.size();
  return !reduces || is_last_reduction(nest, loop);
}

// Nanoseconds per element and per column, roughly: what matters is the order between the candidates.
double column_cost(const LoopNest& nest, std::size_t loop, std::span<const int> sizes, OrderRules rules,
                   std::int64_t lanes) {
  double element = 0;
  for (std::size_t slot = 0; slot < nest.slots; ++slot) {
    const std::int64_t step = std::abs(nest.step(loop, slot));
    element += step == sizes[slot] ? 0.1 : step == 0 ? 0.02 : step < 64 ? 0.5 : 0.8;
  }
  if (nest.target_step(loop) == 0) element += rules.ordered ? 1.2 : 0.05;
  constexpr double per_column = 10;
  return element + per_column / static_cast<double>(std::min(nest.loops[loop].extent, lanes));
}

int choose_column(const LoopNest& nest, std::span<const int> sizes, OrderRules rules, bool injective,
                  std::int64_t lanes) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t loop = nest.loops.size(); loop-- > 0;) {
    if (!may_be_column(nest, loop, rules, injective)) continue;
    const double cost = column_cost(nest, loop, sizes, rules, lanes);
    if (cost >= least) continue;
    least = cost;
    best = static_cast<int>(loop);
  }
  return best;
}

// The innermost loop over other elements of the target, preferring those that are long enough to fill the block.
int choose_row(const LoopNest& nest, int column, std::int64_t lanes) {
  const std::int64_t room = lanes / nest.loops[static_cast<std::size_t>(column)].extent;
  if (room < 2) return -1;
  int best = -1;
  std::int64_t most = 1;
  for (std::size_t loop = nest.loops.size(); loop-- > 0;) {
    if (static_cast<int>(loop) == column || nest.target_step(loop) == 0) continue;
    const std::int64_t rows = std::min(room, nest.loops[loop].extent);
    if (rows <= most) continue;
    most = rows;
    best = static_cast<int>(loop);
  }
  return best;
}

}  // namespace

void LoopNest::clear(std::size_t slot_count) {
  loops.clear();
  steps_.clear();
  slots = slot_count;
}

std::span<std::int64_t> LoopNest::add(std::int64_t extent) {
  loops.push_back({extent, steps_.size()});
  steps_.resize(steps_.size() + slots);
  return {steps_.data() + loops.back().steps, slots};
}

void LoopNest::merge() {
  for (std::size_t inner = loops.size(); inner-- > 1;) {
    if (!merges(*this, inner - 1, inner)) continue;
    loops[inner].extent *= loops[inner - 1].extent;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(inner) - 1);
  }
}

// Sorted by step, each loop must step over all that the finer ones reach.
bool LoopNest::is_injective() const {
  std::int64_t covered = 1;
  std::int64_t last = 0;
  for (std::size_t taken = 0; taken < loops.size(); ++taken) {
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    std::int64_t extent = 0;
    int equal = 0;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      const std::int64_t step = std::abs(target_step(loop));
      if (step <= last || step > next) continue;
      equal = step == next ? equal + 1 : 1;
      next = step;
      extent = loops[loop].extent;
    }
    if (extent == 0) break;
    if (equal > 1 || next < covered) return false;
    covered = next * extent;
    last = next;
  }
  return true;
}

BlockLoops choose_block(const LoopNest& nest, std::span<const int> sizes, OrderRules rules, std::int64_t lanes) {
  BlockLoops result;
  if (nest.loops.empty()) return result;
  const bool injective = nest.loops.size() == 1 || nest.is_injective();
  result.column = choose_column(nest, sizes, rules, injective, lanes);
  if (result.column >= 0 && injective && nest.loops.size() > 1) result.row = choose_row(nest, result.column, lanes);
  return result;
}

}  // namespace accord
