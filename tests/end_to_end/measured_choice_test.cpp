// Does the machine decide between mappings that are predicted about as quick? And does time pass alike without values?
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/inputs.h"
#include "cli/measure.h"
#include "compiler/compile.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_layers.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

std::int64_t compiled_cycles(const Architecture& architecture, const Network& network, const CompileOptions& options) {
  const Program program = compile(architecture, network, options);
  return simulate(architecture, program, seeded_inputs_of(network, 1)).total_cycles;
}

}  // namespace

TEST_CASE("is no short layer slower for measuring, and are some quicker") {
  CompileOptions measuring;
  measuring.measure = measure_cycles;
  std::int64_t before = 0, after = 0;
  for (const std::string name : {"gemmini16", "hvx", "vta", "bf16npu"}) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      const RandomLayer layer = small_layer(architecture.numerics, seed);
      CAPTURE(name);
      CAPTURE(seed);
      CAPTURE(layer.what);
      const auto predicted = compiled_cycles(architecture, layer.network, {});
      const auto measured = compiled_cycles(architecture, layer.network, measuring);
      CHECK(measured <= predicted);
      before += predicted;
      after += measured;
    }
  }
  CHECK(after < before);
}

TEST_CASE("is no short program slower for its chains") {
  CompileOptions chained, apart;
  chained.measure = apart.measure = measure_cycles;
  apart.fuse = false;
  for (const std::string name : {"gemmini16", "hvx", "onnxim", "vta"}) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Network network = network_of(seed, [&](NetworkBuilder& b) {
        const std::int64_t wide = 16 * static_cast<std::int64_t>(seed);
        const TensorId expanded = b.relu(b.conv(b.input({1, 8, 12, 12}), wide, 1));
        return b.conv(b.relu(b.conv(expanded, wide, 3, 1, 1, wide)), 8, 1);
      });
      CAPTURE(name);
      CAPTURE(seed);
      CHECK(compiled_cycles(architecture, network, chained) <= compiled_cycles(architecture, network, apart));
    }
  }
}

TEST_CASE("is what was measured what the program takes") {
  for (const std::string name : {"gemmini16", "dnnweaver64", "nvdla_small"}) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const RandomLayer layer = small_layer(architecture.numerics, seed);
      std::vector<std::int64_t> measured;
      CompileOptions options;
      options.measure = [&](const Architecture& a, const Program& program) {
        measured.push_back(measure_cycles(a, program));
        return measured.back();
      };
      const auto cycles = compiled_cycles(architecture, layer.network, options);
      CAPTURE(name);
      CAPTURE(seed);
      REQUIRE_FALSE(measured.empty());
      CHECK(std::ranges::count(measured, cycles) > 0);
    }
  }
}

TEST_CASE("does time pass without values as it does with them") {
  for (const std::string& name : shipped_names()) {
    const Architecture architecture = machine(name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RandomLayer layer = random_layer(architecture.numerics, seed);
      const Program program = compile(architecture, layer.network);
      CAPTURE(name);
      CAPTURE(layer.what);
      CHECK(measure_cycles(architecture, program) ==
            simulate(architecture, program, seeded_inputs_of(layer.network, 1)).total_cycles);
    }
  }
}
