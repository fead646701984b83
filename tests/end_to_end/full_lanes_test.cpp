// Is an array that may count fewer lanes than a word holds no slower than one that must fill them?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("are few channels done as quickly where lanes may stay empty as where they must not") {
  constexpr std::uint64_t seed = 41;
  const std::string free = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/output_stationary.yaml");
  const std::string full = replaced(free, "l: 1..4", "l: {min: 4, max: 4, multiple: 4}");
  const Network rgb = network_of(seed, [](auto& b) { return b.conv(b.input({1, 3, 11, 9}), 17, 3, 1, 1); });
  const auto cycles = [&](const std::string& text) {
    return static_cast<double>(run_checked(loaded(text), rgb, seed).report.total_cycles);
  };
  CHECK(cycles(free) < 1.2 * cycles(full));
}

TEST_CASE("does a depthwise convolution take no longer than one of more channels, which fill the lanes") {
  constexpr std::uint64_t seed = 42;
  const Architecture architecture = machine("avx512_vnni");
  const auto cycles = [&](std::int64_t channels) {
    const auto layers = [&](auto& b) { return b.conv(b.input({1, channels, 29, 29}), channels, 3, 2, 1, channels); };
    return static_cast<double>(run_checked(architecture, network_of(seed, layers), seed).report.total_cycles);
  };
  const double full = cycles(32);
  for (const std::int64_t channels : {24, 28, 31}) {
    CAPTURE(channels);
    CHECK(cycles(channels) < 1.03 * full);
  }
}
