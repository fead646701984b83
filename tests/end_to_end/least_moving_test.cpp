// Of mappings that are as quick, is one taken that moves few bytes off chip?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("does a layer that its array limits not read its weights over and over") {
  constexpr std::uint64_t seed = 43;
  const Architecture architecture = machine(std::string(ACCORD_SOURCE_DIR) + "/examples/05_tutorial/kestrel.yaml");
  const std::int64_t channels = 64, filters = 48, side = 20;
  const auto layer = [&](auto& b) { return b.conv(b.input({1, channels, side, side}), filters, 3, 1, 1); };
  const auto job = run_checked(architecture, network_of(seed, layer), seed);
  const auto compulsory = static_cast<double>(side * side * (channels + filters) + channels * filters * 9);
  CHECK(static_cast<double>(job.report.off_chip_bytes) < 8 * compulsory);
  CHECK(20 * job.report.total_cycles < 21 * job.report.bound_cycles);
}
