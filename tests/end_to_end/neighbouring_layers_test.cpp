// Do the weights of the next layer come while a layer computes?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

/// Convolutions whose weights take longer to load than they take to compute.
Network pointwise_layers(std::uint64_t seed, int count) {
  return network_of(seed, [&](auto& b) {
    TensorId x = b.input({1, 32, 2, 2});
    for (int layer = 0; layer < count; ++layer) x = b.relu(b.conv(x, 32, 1));
    return x;
  });
}

}  // namespace

TEST_CASE("do small layers load their weights while the layers before them compute") {
  constexpr std::uint64_t seed = 47;
  const auto network = pointwise_layers(seed, 8);
  // One waits for stores at a fence, one by semaphores.
  for (const std::string name : {"gemmini16", "vta"}) {
    CAPTURE(name);
    const auto job = run_checked(machine(name), network, seed);
    std::vector<LayerReport> layers;
    std::ranges::copy_if(job.report.layers, std::back_inserter(layers),
                         [](const LayerReport& layer) { return layer.op.starts_with("Conv"); });
    REQUIRE(layers.size() == 8);
    for (std::size_t l = 1; l < layers.size(); ++l) {
      CAPTURE(l);
      CHECK(2 * layers[l].overlap_cycles > layers[l].cycles);
    }
  }
}

TEST_CASE("are tiles laid from the low end where an instruction's addresses do not reach the high one") {
  constexpr std::uint64_t seed = 48;
  const auto network = pointwise_layers(seed, 4);
  // Of the inputs' memory half.
  const auto job =
      run_checked(loaded(edited("vta", "fields: {a: 24, b: 24, c: 24, i: 5,", "fields: {a: 14, b: 24, c: 24, i: 5,")),
                  network, seed);
  CHECK(std::ranges::count_if(job.report.layers, [](const LayerReport& layer) {
          return layer.op.starts_with("Conv") && layer.placed_on == "compute";
        }) == 4);
}

TEST_CASE("are semaphores beyond what instructions name left alone") {
  constexpr std::uint64_t seed = 49;
  const auto network = pointwise_layers(seed, 4);
  const auto cycles = [&](const std::string& text) {
    return run_checked(loaded(text), network, seed).report.total_cycles;
  };
  const std::string two_bits = replaced(edited("vta", "semaphore: 8", "semaphore: 2"), "count: 6", "count: 4");
  CHECK(cycles(replaced(two_bits, "count: 4", "count: 64")) == cycles(two_bits));
}
