#include "compiler/mapping/tiling_space.h"

#include <algorithm>
#include <set>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/fills.h"

namespace accord {
namespace {

/// Whether the use has a tile of its own one transfer from off-chip memory.
bool may_double(const Use& use) {
  if (use.role == UseRole::accumulator) return use.step == 0 && use.depth == 1;
  if (use.role == UseRole::start) return use.depth > 1;
  return use.depth > 0;
}

std::int64_t factorial(std::size_t n) { return n < 2 ? 1 : static_cast<std::int64_t>(n) * factorial(n - 1); }

}  // namespace

TilingSpace::TilingSpace(const Machine& machine, const Mapping& assignment)
    : assignment_(assignment), chunks_(assignment.extent.size()) {
  for (const auto& step : assignment.steps) {
    const RunLimits& limits = *machine.limits.run(step.match.unit, step.match.capability);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      for (const int it : step.chains[d]) {
        chunks_[it].push_back(limits.dims[d].maximum);
        chunks_[it].push_back(std::max(limits.dims[d].multiple, limits.dims[d].minimum));
      }
    }
  }
  for (std::size_t u = 0; u < assignment.uses.size(); ++u) {
    if (may_double(assignment.uses[u])) doubled_.push_back(u);
  }
}

std::vector<std::int64_t> TilingSpace::sizes(int iterator, std::int64_t outer) const {
  std::set<std::int64_t> result;
  for (std::int64_t trips = 1; trips <= outer; ++trips) {
    const std::int64_t size = ceil_div(outer, trips);
    result.insert(size);
    trips = (outer - 1) / std::max<std::int64_t>(size - 1, 1);  // the last that this size serves
    if (size == 1) break;
  }
  const std::vector<std::int64_t> fewest(result.begin(), result.end());
  for (const std::int64_t chunk : chunks_[iterator]) {
    for (const std::int64_t size : fewest) {
      const std::int64_t whole = round_up(size, chunk);
      if (whole < outer) result.insert(whole);
    }
  }
  return {result.begin(), result.end()};
}

bool TilingSpace::tiles_from(Mapping& mapping, int level, std::size_t iterator, const Visit& visit) const {
  if (level == mapping.levels) return visit(mapping);
  if (iterator == mapping.extent.size()) return tiles_from(mapping, level + 1, 0, visit);
  const std::int64_t outer = level == 0 ? mapping.extent[iterator] : mapping.tile[level - 1][iterator];
  for (const std::int64_t size : sizes(static_cast<int>(iterator), outer)) {
    mapping.tile[level][iterator] = size;
    if (!tiles_from(mapping, level, iterator + 1, visit)) return false;
  }
  return true;
}

bool TilingSpace::for_each_tiles(const Visit& visit) const {
  Mapping mapping = assignment_;
  std::vector<int> order;
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) order.push_back(static_cast<int>(it));
  mapping.tile.assign(mapping.levels, mapping.extent);
  mapping.order.assign(mapping.levels, order);
  mapping.copies = equal_copies(mapping.uses.size(), mapping.levels, 1);
  return tiles_from(mapping, 0, 0, visit);
}

bool TilingSpace::orders_from(Mapping& mapping, int level, const Visit& visit) const {
  if (level == mapping.levels) return visit(mapping);
  auto loops = turning_loops(mapping, level);
  std::vector<int> still;
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
    if (!std::binary_search(loops.begin(), loops.end(), static_cast<int>(it))) still.push_back(static_cast<int>(it));
  }
  do {
    mapping.order[level] = loops;
    mapping.order[level].insert(mapping.order[level].end(), still.begin(), still.end());
    if (!orders_from(mapping, level + 1, visit)) return false;
  } while (std::next_permutation(loops.begin(), loops.end()));
  return true;
}

bool TilingSpace::for_each_order(Mapping& mapping, const Visit& visit) const { return orders_from(mapping, 0, visit); }

bool TilingSpace::for_each_copies(Mapping& mapping, const Visit& visit) const {
  std::vector<std::size_t> refilled;
  const Fills fills(mapping);
  for (const std::size_t u : doubled_) {
    if (fills.of(static_cast<int>(u), 0) > 1) refilled.push_back(u);
  }
  for (std::size_t choice = 0; choice < std::size_t{1} << refilled.size(); ++choice) {
    mapping.copies = equal_copies(mapping.uses.size(), mapping.levels, 1);
    for (std::size_t i = 0; i < refilled.size(); ++i) {
      for (int& copies : mapping.copies[refilled[i]]) copies += static_cast<int>(choice >> i & 1);
    }
    if (!visit(mapping)) return false;
  }
  return true;
}

std::int64_t TilingSpace::count(std::int64_t limit) const {
  std::int64_t total = 0;
  for_each_tiles([&](const Mapping& mapping) {
    std::int64_t orders = 1;
    const Fills fills(mapping);
    for (const std::size_t u : doubled_) orders *= fills.of(static_cast<int>(u), 0) > 1 ? 2 : 1;
    for (int level = 0; level < mapping.levels && orders <= limit; ++level) {
      orders *= factorial(turning_loops(mapping, level).size());
    }
    total += orders;
    return total <= limit;
  });
  return total;
}

std::vector<int> turning_loops(const Mapping& mapping, int level) {
  std::vector<int> loops;
  for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
    const std::int64_t outer = level == 0 ? mapping.extent[it] : mapping.tile[level - 1][it];
    if (mapping.tile[level][it] < outer) loops.push_back(static_cast<int>(it));
  }
  return loops;
}

}  // namespace accord
