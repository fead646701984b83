// Are images written in the order in which convolutions read them, where the host rearranges them or others show them?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t cycles_of_last_product(const Architecture& machine, const Network& network) {
  const MainJobResult job = run_checked(machine, network, 1);
  std::int64_t cycles = 0;
  for (const LayerReport& layer : job.report.layers) {
    if (layer.macs > 0) cycles = layer.cycles;
  }
  return cycles;
}

}  // namespace

TEST_CASE("does a convolution of shuffled channels take about what it takes of channels in order") {
  const Network shuffled = network_of(3, [](NetworkBuilder& b) {
    const TensorId x = b.relu(b.conv(b.input({1, 16, 14, 14}), 32, 1));
    const TensorId swapped = b.transpose(b.reshape(x, {1, 2, 16, 14, 14}), {0, 2, 1, 3, 4});
    return b.conv(b.reshape(swapped, {1, 32, 14, 14}), 32, 1);
  });
  const Network in_order = network_of(3, [](NetworkBuilder& b) {
    return b.conv(b.relu(b.conv(b.input({1, 16, 14, 14}), 32, 1)), 32, 1);
  });
  for (const char* const name : {"gemmini16", "tpu_v1", "nvdla_small"}) {
    CAPTURE(name);
    const Architecture shipped = machine(name);
    CHECK(cycles_of_last_product(shipped, shuffled) < 2 * cycles_of_last_product(shipped, in_order));
  }
}

TEST_CASE("are the means of an image's channels taken in whole rows of channels") {
  // 72 x 28 x 28, channels innermost behind a convolution; one by one, its channels took twenty times the bound.
  const Network pooled = network_of(5, [](NetworkBuilder& b) {
    return b.average_pool(b.relu(b.conv(b.input({1, 16, 28, 28}), 64, 1)), 28, 28);
  });
  const MainJobResult job = run_checked(machine("gemmini16"), pooled, 1);
  bool found = false;
  for (const LayerReport& layer : job.report.layers) {
    if (layer.op.find("SumPool") == std::string::npos) continue;
    found = true;
    CHECK(layer.cycles < 2 * layer.bound_cycles);
  }
  CHECK(found);
}

TEST_CASE("is what follows a convolution of one row as quick where a plane of one row is read as none") {
  const auto activated = [](NetworkBuilder& b, TensorId x) { return b.multiply(x, b.sigmoid(x)); };
  const Network rows = network_of(7, [&](NetworkBuilder& b) {
    const TensorId x = b.reshape(b.input({1, 16, 200}), {1, 16, 1, 200});
    const TensorId y = activated(b, b.reshape(b.conv(x, 32, 3, 1, 1), {1, 32, 200}));
    return b.conv(b.reshape(y, {1, 32, 1, 200}), 16, 3, 1, 1);
  });
  const Network planes = network_of(7, [&](NetworkBuilder& b) {
    return b.conv(activated(b, b.conv(b.input({1, 16, 1, 200}), 32, 3, 1, 1)), 16, 3, 1, 1);
  });
  for (const char* const name : {"bf16npu", "tpu_v4"}) {
    CAPTURE(name);
    const Architecture shipped = machine(name);
    const MainJobResult job = run_checked(shipped, rows, 7);
    // Without chains, which end where a tensor is shown otherwise.
    MainJobOptions apart;
    apart.fuse = false;
    const auto cycles = [&](const Network& network) {
      return run_main_job(shipped, network, seeded_inputs_of(network, 7), apart).report.total_cycles;
    };
    CHECK(cycles(rows) < 1.02 * cycles(planes));
    CHECK(std::ranges::count(job.report.layers, "host", &LayerReport::placed_on) == 0);
  }
}

TEST_CASE("do phases woven into an image move by rows of channels") {
  // As of a transposed convolution of stride 2; element by element it took over 60 times the bound.
  const Network woven = network_of(9, [](NetworkBuilder& b) {
    const TensorId phases = b.relu(b.conv(b.input({1, 16, 16, 16}), 128, 1));
    const TensorId apart = b.reshape(phases, {1, 2, 2, 32, 16, 16});
    const TensorId image = b.reshape(b.transpose(apart, {0, 3, 4, 1, 5, 2}), {1, 32, 32, 32});
    return b.conv(image, 16, 1);
  });
  for (const char* const name : {"bf16npu", "tpu_v4"}) {
    CAPTURE(name);
    const MainJobResult job = run_checked(machine(name), woven, 9);
    const auto weave = std::ranges::find(job.report.layers, "Transpose", &LayerReport::op);
    REQUIRE(weave != job.report.layers.end());
    CHECK(weave->cycles < 6 * weave->bound_cycles);
  }
}
