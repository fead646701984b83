// Do tensors that live at the same time lie apart, and how near is the plan to the least memory?
#include "compiler/mapping/memory_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace accord;

namespace {

std::int64_t up(std::int64_t bytes, std::int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/// Alignment, distance and peak as the header promises them.
void check_plan(const std::vector<Occupant>& occupants, std::int64_t alignment, const MemoryPlan& plan) {
  REQUIRE(plan.offsets.size() == occupants.size());
  std::int64_t end = 0;
  for (std::size_t a = 0; a < occupants.size(); ++a) {
    CHECK(plan.offsets[a] >= 0);
    CHECK(plan.offsets[a] % alignment == 0);
    end = std::max(end, plan.offsets[a] + up(occupants[a].bytes, alignment));
    for (std::size_t b = 0; b < a; ++b) {
      if (occupants[a].first > occupants[b].last || occupants[b].first > occupants[a].last) continue;
      const bool apart = plan.offsets[a] + occupants[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + occupants[b].bytes <= plan.offsets[a];
      CHECK(apart);
    }
  }
  CHECK(plan.peak == end);
  CHECK(plan.peak >= least_peak(occupants, alignment));
}

std::vector<Occupant> random_occupants(std::mt19937& random, int count, int layers, int most) {
  std::vector<Occupant> occupants;
  for (int i = 0; i < count; ++i) {
    const int first = static_cast<int>(random() % layers);
    const int last = std::min(layers - 1, first + static_cast<int>(random() % 4));
    occupants.push_back({1 + static_cast<std::int64_t>(random() % most), first, last});
  }
  return occupants;
}

/// The least peak over all orders of first fit at the lowest place: some order yields an optimal plan.
std::int64_t brute_force(const std::vector<Occupant>& occupants) {
  std::vector<std::size_t> order(occupants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t best = INT64_MAX;
  do {
    std::vector<std::int64_t> at(occupants.size(), 0);
    std::int64_t peak = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Occupant& now = occupants[order[i]];
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t j = 0; j < i; ++j) {
          const Occupant& other = occupants[order[j]];
          const std::int64_t from = at[order[j]];
          const bool meet = now.first <= other.last && other.first <= now.last;
          if (!meet || at[order[i]] >= from + other.bytes || at[order[i]] + now.bytes <= from) continue;
          at[order[i]] = from + other.bytes;
          moved = true;
        }
      }
      peak = std::max(peak, at[order[i]] + now.bytes);
    }
    best = std::min(best, peak);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

}  // namespace

TEST_CASE("do occupants of a common layer lie apart") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto occupants = random_occupants(random, 1 + static_cast<int>(random() % 60), 30, 1000);
    const std::int64_t alignment = std::int64_t{1} << (random() % 8);
    check_plan(occupants, alignment, plan_memory(occupants, alignment));
  }
}

TEST_CASE("is a chain's peak the two tensors of one layer") {
  std::vector<Occupant> chain;
  const std::vector<std::int64_t> sizes = {100, 700, 300, 300, 900, 50, 400};
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i)
    chain.push_back({sizes[static_cast<std::size_t>(i)], i, i + 1});
  const MemoryPlan plan = plan_memory(chain, 1);
  check_plan(chain, 1, plan);
  CHECK(plan.peak == 300 + 900);
}

TEST_CASE("how far is the peak from the optimum on small cases") {
  std::int64_t planned = 0, optimal = 0;
  int exact = 0;
  const int cases = 60;
  for (unsigned seed = 1; seed <= cases; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto occupants = random_occupants(random, 7, 6, 20);
    const MemoryPlan plan = plan_memory(occupants, 1);
    const std::int64_t best = brute_force(occupants);
    CHECK(plan.peak >= best);
    CHECK(4 * plan.peak <= 5 * best);
    planned += plan.peak;
    optimal += best;
    exact += plan.peak == best;
  }
  MESSAGE(exact, " of ", cases, " plans are optimal; all together ", planned, " bytes of ", optimal);
  CHECK(100 * planned <= 103 * optimal);
}

TEST_CASE("is nothing planned as nothing") { CHECK(plan_memory({}, 64).peak == 0); }
