// Do cores at different distances from memory, or with different shares of the work, get right values?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t mesh_seed = 83;

}  // namespace

TEST_CASE("are weights right of which each core reads an image as suits its way") {
  const std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/mesh_cores.yaml");
  const Architecture slow = loaded(replaced(text, "in_flight: 8, setup: 5", "in_flight: 16, setup: 10"));
  for (const std::int64_t channels : {3, 8, 20}) {
    CAPTURE(channels);
    const auto conv = [&](auto& b) { return b.conv(b.input({1, channels, 12, 12}), 8, 3, 1, 1); };
    run_checked(slow, network_of(mesh_seed, conv), mesh_seed);
  }
}

TEST_CASE("is there room for what is left for the last core, which lies otherwise") {
  for (const std::int64_t width : {17, 19}) {
    CAPTURE(width);
    const auto residual = [&](auto& b) {
      const TensorId x = b.input({1, 1, width + 4, width});
      return b.add(b.conv(x, 1, 3, 1, 1), x);
    };
    run_checked(described("mesh_cores"), network_of(mesh_seed, residual), mesh_seed);
  }
}

TEST_CASE("do elements that an uneven division leaves less work share what they load with the others") {
  const Architecture architecture = shipped("simba");
  const auto cycles = [&](std::int64_t channels) {
    const auto conv = [&](auto& b) { return b.conv(b.input({1, channels, 14, 14}), channels, 3, 1, 1); };
    return run_checked(architecture, network_of(mesh_seed, conv), mesh_seed).report.total_cycles;
  };
  const auto even = cycles(64);
  for (const std::int64_t uneven : {58, 60, 63}) {
    CAPTURE(uneven);
    CHECK(cycles(uneven) <= 1.2 * static_cast<double>(even));
  }
}
