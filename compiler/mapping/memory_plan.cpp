#include "compiler/mapping/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

bool meet(const Occupant& a, const Occupant& b) { return a.first <= b.last && b.first <= a.last; }

/// The smallest gap between what is taken that holds the occupant, else the place behind it all.
std::int64_t best_fit(std::vector<std::pair<std::int64_t, std::int64_t>>& taken, std::int64_t bytes) {
  std::sort(taken.begin(), taken.end());
  std::int64_t best = -1, waste = INT64_MAX, end = 0;
  for (const auto& [from, to] : taken) {
    const std::int64_t left = from - end - bytes;
    if (left >= 0 && left < waste) {
      best = end;
      waste = left;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

MemoryPlan place(const std::vector<Occupant>& occupants, const std::vector<std::size_t>& order,
                 std::int64_t alignment) {
  MemoryPlan plan{std::vector<std::int64_t>(occupants.size(), 0), 0};
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Occupant& now = occupants[order[i]];
    taken.clear();
    for (std::size_t j = 0; j < i; ++j) {
      const Occupant& other = occupants[order[j]];
      const std::int64_t offset = plan.offsets[order[j]];
      if (meet(now, other)) taken.emplace_back(offset, offset + round_up(other.bytes, alignment));
    }
    const std::int64_t bytes = round_up(now.bytes, alignment);
    plan.offsets[order[i]] = best_fit(taken, bytes);
    plan.peak = std::max(plan.peak, plan.offsets[order[i]] + bytes);
  }
  return plan;
}

/// Indices with the least key first; equal keys keep their order.
template <typename Key>
std::vector<std::size_t> sorted_by(const std::vector<Occupant>& occupants, Key&& key) {
  std::vector<std::size_t> order(occupants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(occupants[a]) < key(occupants[b]); });
  return order;
}

}  // namespace

std::int64_t least_peak(const std::vector<Occupant>& occupants, std::int64_t alignment) {
  std::map<int, std::int64_t> change;  // of the bytes taken, where a layer begins
  for (const Occupant& occupant : occupants) {
    change[occupant.first] += round_up(occupant.bytes, alignment);
    change[occupant.last + 1] -= round_up(occupant.bytes, alignment);
  }
  std::int64_t taken = 0, most = 0;
  for (const auto& [layer, bytes] : change) most = std::max(most, taken += bytes);
  return most;
}

MemoryPlan plan_memory(const std::vector<Occupant>& occupants, std::int64_t alignment) {
  const std::int64_t least = least_peak(occupants, alignment);
  MemoryPlan best = place(occupants, sorted_by(occupants, [](const Occupant& o) { return -o.bytes; }), alignment);
  if (best.peak == least) return best;
  const auto by_area = [](const Occupant& o) { return -static_cast<double>(o.bytes) * (o.last - o.first + 1); };
  const auto by_time = [](const Occupant& o) { return std::tuple(o.first, -o.bytes); };
  for (const auto& order : {sorted_by(occupants, by_area), sorted_by(occupants, by_time)}) {
    MemoryPlan other = place(occupants, order, alignment);
    if (other.peak < best.peak) best = std::move(other);
  }
  return best;
}

}  // namespace accord
