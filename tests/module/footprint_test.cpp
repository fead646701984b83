// Are the words that runs touch those that one finds by walking them?
#include "simulator/kernels/footprint.h"

#include <doctest/doctest.h>

#include <random>

using namespace accord::sim;

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
    std::int64_t walked = 0;
    for_each_run(footprint, low, [&](std::int64_t address, std::int64_t bytes) {
      walked += (address + bytes - 1) / word - address / word + 1;
    });
    CHECK(words_of(footprint, low, word) == walked);
  }
}
