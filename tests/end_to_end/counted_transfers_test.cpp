// Do layers stay on machines whose transfers count their bytes in units, where rows are no multiple of them?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t counted_seed = 29;

/// The example's machine, every load and store of activations and weights counted in eight bytes.
Architecture in_eights() {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/examples/03_a_machine_of_your_own/tiny8.yaml");
  text = replaced(text, "dst: 24, n0: 8, n1: 8", "dst: 24, n0: {bits: 8, unit: 8}, n1: 8");
  return loaded(replaced(text, "dst: 40, n0: 8, n1: 8", "dst: 40, n0: {bits: 8, unit: 8}, n1: 8"));
}

}  // namespace

TEST_CASE("are rows padded to the bytes that transfers count in") {
  const Architecture machine = in_eights();
  const auto odd = network_of(counted_seed, [](auto& b) {
    const TensorId x = b.conv(b.input({1, 3, 9, 11}), 13, 3, 1, 1);
    return b.conv(b.max_pool(b.relu(b.conv(x, 13, 3, 1, 1, 13)), 3, 2), 10, 1);
  });
  const auto job = run_checked(machine, odd, counted_seed);
  for (const auto& layer : job.report.layers) {
    CAPTURE(layer.name);
    if (layer.macs > 0 || layer.op.find("MaxPool") != std::string::npos) CHECK(layer.placed_on != "host");
  }
}

TEST_CASE("are networks right on a machine whose transfers count in units") {
  const Architecture machine = in_eights();
  for (const auto& [name, small] : small_networks(counted_seed)) {
    CAPTURE(name);
    run_checked(machine, small, counted_seed);
  }
}

TEST_CASE("do what remains of tiles and initial values end with whole units") {
  const std::string text = edited("nvdla_small", "dst: 24, n0: 10, n1: 13, s1: 24, t1: 24",
                                  "dst: 24, n0: {bits: 7, unit: 8}, n1: 13, s1: 24, t1: 24");
  const auto odd = network_of(counted_seed, [](auto& b) { return b.conv(b.input({1, 16, 12, 12}), 13, 1); });
  for (const auto& layer : run_checked(loaded(text), odd, counted_seed).report.layers) {
    if (layer.macs > 0) CHECK(layer.placed_on != "host");
  }
}
