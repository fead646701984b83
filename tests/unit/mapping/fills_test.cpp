// How often is a tile brought in, where some of its copies may still hold it?
#include "compiler/mapping/fills.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "compiler/mapping/keeping.h"

using namespace accord;

namespace {

constexpr std::size_t iterators = 4;

Mapping drawn_mapping(std::mt19937_64& random) {
  const auto below = [&](int count) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)); };
  Mapping mapping;
  mapping.rolls = below(4) == 0;
  mapping.tile.resize(1);
  mapping.order.resize(1);
  for (std::size_t it = 0; it < iterators; ++it) {
    mapping.extent.push_back(1 + below(9));
    mapping.tile[0].push_back(1 + below(4));
    mapping.order[0].push_back(static_cast<int>(it));
  }
  std::shuffle(mapping.order[0].begin(), mapping.order[0].end(), random);
  for (int u = 0; u < 2; ++u) {
    Use use;
    use.depth = 1;
    for (std::size_t it = 0; it < iterators; ++it) {
      if (below(2) == 0) use.access.indices.push_back({{{static_cast<int>(it), 1}}, 0});
    }
    mapping.uses.push_back(use);
    mapping.copies.push_back({static_cast<int>(1 + below(6))});
  }
  return mapping;
}

/// Turns the loops one by one, with copies that are filled in turn.
std::int64_t brought(const Mapping& mapping, int u) {
  std::vector<std::int64_t> at(iterators, 0);
  std::deque<std::vector<std::int64_t>> held;
  const int copies = !mapping.rolls ? mapping.copies[u].front() : 1;
  std::int64_t count = 0;
  for (bool more = true; more;) {
    auto seen = at;
    for (std::size_t it = 0; it < iterators; ++it) {
      if (!depends(mapping.uses[u].access, static_cast<int>(it))) seen[it] = 0;
    }
    if (std::ranges::find(held, seen) == held.end()) {
      ++count;
      held.push_back(seen);
      if (held.size() > static_cast<std::size_t>(copies)) held.pop_front();
    }
    more = false;
    for (auto it = mapping.order[0].rbegin(); it != mapping.order[0].rend() && !more; ++it) {
      more = ++at[*it] < trips(mapping, 0, *it);
      if (!more) at[*it] = 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("A level 0 tile is filled as often as loops and copies that are turned one by one say") {
  const unsigned seed = 7;
  INFO("seed ", seed);
  std::mt19937_64 random(seed);
  int again = 0, kept = 0;
  for (int i = 0; i < 3000; ++i) {
    const Mapping mapping = drawn_mapping(random);
    const Fills fills(mapping);
    for (int u = 0; u < 2; ++u) {
      REQUIRE(fills.of(u, 0) == brought(mapping, u));
      again += fills.again(u) > 1;
      kept += fills.round(u).passes > 1;
    }
  }
  CHECK(again > 100);
  CHECK(kept > 100);
}

TEST_CASE("With copies for a whole round some loop brings nothing again") {
  const unsigned seed = 8;
  INFO("seed ", seed);
  std::mt19937_64 random(seed);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    Mapping mapping = drawn_mapping(random);
    const Copies one = equal_copies(mapping.uses.size(), 1, 1);
    mapping.copies = one;
    const Fills before(mapping);
    for (const Copies& copies : keeping_copies(mapping, one)) {
      REQUIRE_FALSE(mapping.rolls);
      mapping.copies = copies;
      const Fills after(mapping);
      const int u = copies[0].front() > 1 ? 0 : 1;
      CHECK(after.of(u, 0) < before.of(u, 0));
      CHECK(after.of(1 - u, 0) == before.of(1 - u, 0));
      ++found;
    }
  }
  CHECK(found > 100);
}

TEST_CASE("Of tiles that stay, what is longer than a pass over them is exposed, in the first round and in later ones") {
  Mapping mapping;  // 2 rounds of 3 tiles, each for 4 passes
  mapping.extent = {2, 4, 3};
  mapping.tile = {{1, 1, 1}};
  mapping.order = {{0, 1, 2}};
  Use use;
  use.depth = 1;
  use.access.indices = {{{{0, 1}}, 0}, {{{2, 1}}, 0}};
  Use result;
  result.step = 0;
  result.role = UseRole::output;
  result.depth = 1;
  result.access.indices = {{{{0, 1}}, 0}, {{{1, 1}}, 0}};
  mapping.uses = {use, result};
  const double cycles = 6 * 100, busy = 8 * 120;  // 300 a round; a pass takes 120
  mapping.copies = {{1}, {1}};
  CHECK(Fills(mapping).exposed(0, 6, cycles, busy) == 0);  // nothing stays
  mapping.copies = {{3}, {1}};
  CHECK(Fills(mapping).exposed(0, 6, cycles, busy) == doctest::Approx((200 - 120) + (300 - 120)));
  mapping.copies = {{6}, {1}};  // the next round comes all the while
  CHECK(Fills(mapping).exposed(0, 6, cycles, busy) == doctest::Approx(200 - 120));
  CHECK(Fills(mapping).exposed(0, 6, cycles, 10 * busy) == 0);
}
