// Are the words that runs touch those that one finds by walking them?
#include "simulator/kernels/footprint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace accord::sim;
using accord::Stride;

TEST_CASE("does a footprint touch the words that its runs touch one by one") {
  constexpr unsigned of_footprints = 61;
  std::mt19937_64 random(of_footprints);
  for (int i = 0; i < 2000; ++i) {
    CAPTURE(i);
    const auto drawn = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const std::int64_t word = drawn(1, 48), low = drawn(0, 200);
    std::vector<Stride> dims;
    for (std::int64_t d = drawn(0, 3); d > 0; --d)
      dims.push_back({drawn(1, 9), drawn(0, 1) == 0 ? drawn(0, 99) : word * drawn(0, 3)});
    const Footprint footprint = *make_footprint(drawn(1, 4), 0, dims);
    const std::int64_t stretch = word * drawn(1, 40), first = low / stretch;
    const auto stretches = static_cast<std::size_t>((low + footprint.extent - 1) / stretch - first + 1);
    std::vector<std::int64_t> each(stretches), counted(stretches);
    std::int64_t walked = 0;
    for_each_run(footprint, low, [&](std::int64_t address, std::int64_t bytes) {
      for (std::int64_t at = address / word; at <= (address + bytes - 1) / word; ++at) {
        ++walked;
        ++each[static_cast<std::size_t>(at * word / stretch - first)];
      }
    });
    CHECK(words_of(footprint, low, word) == walked);
    count_words(footprint, low, word, stretch, counted);
    CHECK(counted == each);
  }
}

namespace {

std::set<std::int64_t> touched(const Footprint& footprint, std::int64_t base) {
  std::set<std::int64_t> bytes;
  for_each_run(footprint, base, [&](std::int64_t address, std::int64_t n) {
    for (std::int64_t b = 0; b < n; ++b) bytes.insert(address + b);
  });
  return bytes;
}

/// By all of its points.
std::set<std::int64_t> points(std::int64_t element, const std::vector<Stride>& dims, std::int64_t base) {
  std::set<std::int64_t> first = {base};
  for (const Stride& dim : dims) {
    std::set<std::int64_t> next;
    for (const std::int64_t at : first) {
      for (std::int64_t i = 0; i < dim.count; ++i) next.insert(at + i * dim.step);
    }
    first = std::move(next);
  }
  std::set<std::int64_t> bytes;
  for (const std::int64_t at : first) {
    for (std::int64_t b = 0; b < element; ++b) bytes.insert(at + b);
  }
  return bytes;
}

}  // namespace

TEST_CASE("do footprints touch the bytes of their points, and meet where they share one") {
  constexpr unsigned of_points = 62;
  std::mt19937_64 random(of_points);
  int met = 0;
  for (int i = 0; i < 3000; ++i) {
    CAPTURE(i);
    const auto drawn = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::vector<Footprint> made;
    std::vector<std::set<std::int64_t>> bytes;
    std::vector<std::int64_t> bases;
    for (int side = 0; side < 2; ++side) {
      std::vector<Stride> dims;
      for (std::int64_t d = drawn(0, 4); d > 0; --d) dims.push_back({drawn(1, 5), drawn(-6, 6) * drawn(1, 8)});
      const std::int64_t element = drawn(1, 3);
      bases.push_back(drawn(300, 500));
      made.push_back(*make_footprint(element, 0, dims));
      bytes.push_back(points(element, dims, bases.back()));
      CHECK(touched(made.back(), bases.back()) == bytes.back());
    }
    const bool share = std::ranges::any_of(bytes[0], [&](std::int64_t byte) { return bytes[1].contains(byte); });
    CHECK(meet(made[0], bases[0], made[1], bases[1]) == share);
    if (share) ++met;
  }
  CHECK(met > 500);
  CHECK(met < 2500);
}

TEST_CASE("is what the rows of an image and of a window over them share one stride") {
  // 16 rows of 64 bytes, 3 of a window over each; every second row, 3 of a window.
  for (const std::int64_t stride : {1, 2}) {
    const Footprint footprint = *make_footprint(1, 0, {{8, 1}, {16, stride * 64}, {3, 64}});
    CHECK(footprint.bytes == 8 * (15 * stride + 3));
  }
  CHECK(make_footprint(1, 0, {{8, 1}, {16, 4 * 64}, {3, 64}})->bytes == 8 * 16 * 3);  // nothing is shared
}

TEST_CASE("are millions of runs that lie between each other told apart") {
  const Footprint even = *make_footprint(1, 0, {{3000, 14}, {3000, 22}});
  CHECK(!meet(even, 0, even, 1));
  CHECK(meet(even, 0, even, 2));
  const Footprint rows = *make_footprint(8, 0, {{60'000'000, 16}});
  CHECK(!meet(rows, 0, rows, 8));
  CHECK(meet(rows, 0, rows, 9));
  const Footprint crossed = *make_footprint(1, 0, {{100, 200}, {100, 202}, {100, 206}});
  CHECK(!meet(crossed, 0, crossed, 1));
  CHECK(meet(crossed, 0, crossed, 4));
}
