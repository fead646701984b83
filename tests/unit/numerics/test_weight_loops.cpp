#include "compiler/numerics/weight_loops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace accord::numerics;

namespace {

std::vector<float> some_weights(std::mt19937& random, std::size_t count) {
  std::vector<float> values(count);
  for (auto& value : values) value = (static_cast<float>(random() % 20001) - 10000) / 128;
  return values;
}

}  // namespace

TEST_CASE("Are weights rounded in vectors as they are one by one?") {
  std::mt19937 random(5);
  for (std::size_t count = 0; count < 70; ++count) {
    const auto values = some_weights(random, count);
    for (const double scale : {1.0, 0.5, 0.37, 1e-3}) {
      std::vector<float> got(count), expected(count);
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = std::clamp(static_cast<float>(std::nearbyint(values[i] / scale)), -127.0F, 127.0F);
        sum += std::abs(expected[i]);
      }
      CHECK(round_weights(values.data(), static_cast<std::int64_t>(count), scale, 127, got.data()) == sum);
      CHECK(got == expected);
    }
  }
}

TEST_CASE("Is the greatest magnitude found wherever it stands, and what is no number told?") {
  std::mt19937 random(6);
  for (std::size_t count = 1; count < 70; ++count) {
    auto values = some_weights(random, count);
    const std::size_t at = random() % count;
    values[at] = -1000;
    const auto known = largest_value(values.data(), static_cast<std::int64_t>(count));
    CHECK(known.greatest == 1000);
    CHECK(known.numbers);
    values[(at + 1) % count] = std::numeric_limits<float>::quiet_NaN();
    CHECK_FALSE(largest_value(values.data(), static_cast<std::int64_t>(count)).numbers);
  }
}
