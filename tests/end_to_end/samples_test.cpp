// Several samples at once are as many loops more: is what suits one still found?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t samples_seed = 37;

std::int64_t cycles_of(const Architecture& architecture, std::int64_t samples) {
  const auto network = network_of(samples_seed, [&](auto& b) { return b.conv(b.input({samples, 3, 20, 20}), 8, 3); });
  return run_checked(architecture, network, samples_seed).report.total_cycles;
}

}  // namespace

TEST_CASE("do three samples take little more than three times one's cycles") {
  for (const char* name : {"nvdla_small", "gemmini16", "ethos_u55", "dnnweaver64"}) {
    CAPTURE(name);
    const Architecture architecture = shipped(name);
    const std::int64_t one = cycles_of(architecture, 1), three = cycles_of(architecture, 3);
    CAPTURE(one);
    CAPTURE(three);
    CHECK(static_cast<double>(three) < 3.2 * static_cast<double>(one));
  }
}
