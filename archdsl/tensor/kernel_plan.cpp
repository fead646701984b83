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

// The loop over other elements of the target that fills the block best.
int choose_row(const LoopNest& nest, std::size_t column, std::int64_t lanes) {
  const std::int64_t room = lanes / nest.loops[column].extent;
  int best = -1;
  std::int64_t most = 1;
  for (std::size_t loop = nest.loops.size(); loop-- > 0;) {
    if (loop == column || nest.target_step(loop) == 0) continue;
    const std::int64_t rows = std::min(room, nest.loops[loop].extent);
    if (rows <= most) continue;
    most = rows;
    best = static_cast<int>(loop);
  }
  return best;
}

// Nanoseconds per element, roughly: what matters is the order between the candidates.
double block_cost(const LoopNest& nest, BlockLoops loops, std::span<const int> sizes, OrderRules rules,
                  BlockLimits limits) {
  const auto column = static_cast<std::size_t>(loops.column);
  double element = 0;
  for (std::size_t slot = 0; slot < nest.slots; ++slot) {
    const std::int64_t step = std::abs(nest.step(column, slot));
    element += step == sizes[slot] ? 0.1 : step == 0 ? 0.02 : step < 64 ? 0.5 : 0.8;
  }
  if (nest.target_step(column) == 0) element += rules.ordered ? 1.2 : 0.05;
  const std::int64_t columns = std::min(nest.loops[column].extent, limits.lanes);
  std::int64_t count = columns;
  if (loops.row >= 0) count *= std::min(nest.loops[static_cast<std::size_t>(loops.row)].extent, limits.lanes / columns);
  constexpr double row_overhead = 3;
  return element + row_overhead / static_cast<double>(columns) + limits.overhead / static_cast<double>(count);
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

BlockLoops choose_block(const LoopNest& nest, std::span<const int> sizes, OrderRules rules, BlockLimits limits) {
  BlockLoops best;
  const std::size_t count = nest.loops.size();
  const bool injective = count <= 1 || nest.is_injective();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t loop = count; loop-- > 0;) {
    if (!may_be_column(nest, loop, rules, injective)) continue;
    const BlockLoops candidate{static_cast<int>(loop), injective ? choose_row(nest, loop, limits.lanes) : -1};
    const double cost = count == 1 ? 0 : block_cost(nest, candidate, sizes, rules, limits);
    if (cost >= least) continue;
    least = cost;
    best = candidate;
  }
  return best;
}

}  // namespace accord
